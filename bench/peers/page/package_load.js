// How a package starts, where nothing of it is kept: the first result, the thread meanwhile, and what 'auto' settles on.
import { inputsOf } from './tensors.js';

const SETTLE_MS_MAX = 60000;

export function init() {}

// Nothing of a load before.
async function forget() {
  for (const name of await caches.keys()) await caches.delete(name);
  await new Promise(done => { Object.assign(indexedDB.deleteDatabase('hone'), { onsuccess: done, onerror: done, onblocked: done }); });
}

// The longest task of the page's thread from now to take(), in ms; null where the browser does not tell.
function watchThread() {
  if (!PerformanceObserver.supportedEntryTypes?.includes('longtask')) return { take: () => null };
  let longest = 0;
  const note = entries => { for (const { duration } of entries) longest = Math.max(longest, duration); };
  const observer = new PerformanceObserver(list => note(list.getEntries()));
  observer.observe({ type: 'longtask' });
  return {
    take() {
      note(observer.takeRecords());
      observer.disconnect();
      return longest;
    },
  };
}

// One load and one run of a package, `race` to wait for what 'auto' settles on.
async function start(work, backend) {
  let settle;
  const settled = new Promise(done => { settle = done; setTimeout(done, SETTLE_MS_MAX); });
  const inputs = Object.fromEntries(inputsOf(work).map((values, i) => [work.inputs[i].name, values]));
  const thread = watchThread(), started = performance.now(), { load } = await import(`${work.package}index.js`);
  const model = await load(undefined, { backend, onUsed: settle }), loaded = performance.now(), first = model.used;
  await model.run(inputs);
  const first_result_ms = performance.now() - started;
  await new Promise(done => setTimeout(done));   // the observer is told of the last task
  const said = { first, load_ms: loaded - started, first_result_ms, longest_task_ms: thread.take() };
  if (backend === 'auto') await settled;
  const { used } = model;
  model.dispose();
  return { ...said, used };
}

// The files that a start fetched, once more with nothing else to do; ms and bytes.
async function download(files) {
  const started = performance.now();
  const sizes = await Promise.all(files.map(async file => (await (await fetch(file, { cache: 'no-store' })).arrayBuffer()).byteLength));
  return { download_ms: performance.now() - started, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export async function measure(work, backend) {
  await forget();
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(10000);
  const said = await start(work, backend);
  const files = [...new Set(performance.getEntriesByType('resource').map(({ name }) => name).filter(name => new URL(name).pathname.startsWith(work.package)))];
  return { ...said, files: files.length, ...await download(files) };
}
