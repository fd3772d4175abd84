// The run of scripts/real_gpu: limits, then each case, then the comparison with others. What fails is a line of the report.
import { openBrowser, prepareWorks } from '../peers/prepare.mjs';
import { startService } from '../service.mjs';
import { measureCase } from './measure.mjs';
import { gpuName } from './report.mjs';

const NAMED = ['vendor', 'architecture', 'device', 'description', 'backend'];
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|\bwarp\b/i;   // browser-runtime/src/device/software.ts

const firstLine = error => String(error?.message ?? error).split('\n')[0].slice(0, 300);

// {failed} where it throws; a browser that answers no more is replaced.
async function attempted(browser, step) {
  try {
    return await step();
  } catch (error) {
    if (!(await browser.answers())) await browser.renew();
    return { failed: firstLine(error) };
  }
}

const gpuOf = fingerprint => ({ ...Object.fromEntries(NAMED.map(name => [name, fingerprint[name]])), software: SOFTWARE.test(NAMED.map(name => fingerprint[name]).join(' ')) });

async function measureLimits(browser) {
  const page = await browser.page();
  try {
    await page.load('/page/limits.js');
    return await page.call('measure');
  } finally {
    await page.close();
  }
}

async function noteLimits(browser, keeper, log) {
  const found = await attempted(browser, () => measureLimits(browser));
  if (found.failed) return keeper.note({ limits: found });
  const { fingerprint, clock, ...limits } = found, gpu = gpuOf(fingerprint);
  log(`GPU: ${gpuName(gpu)}: ${gpu.software ? 'a software one, so this says nothing of real ones' : 'no software one, as far as it says'}`);
  keeper.note({ gpu, clock, limits });
}

// The agent may say more of the device than the page.
function noteDevice(keeper, { key, ...fingerprint }) {
  if (keeper.report.device === null) keeper.note({ device: fingerprint, gpu: gpuOf(fingerprint) });
  return key;
}

async function measureCases(works, { browser, service, seconds, keeper, log }) {
  const tuned = [];
  let key;
  for (const work of works) {
    log(`${work.name}: tuning`);
    const found = await attempted(browser, () => measureCase(work, { hone: service.hone, limits: keeper.report.limits, seconds }));
    if (!found.failed) {
      key = noteDevice(keeper, found.device);
      tuned.push(work);
    }
    keeper.addCase({ name: work.name, ...(found.row ?? found) });
    log(`${work.name}: ${found.failed ?? `${(found.row.us / 1e3).toPrecision(3)} ms`}`);
  }
  return { tuned, key };
}

// Where a browser is there: others do not run in Node.js.
async function compare({ tuned, key }, parts) {
  const { comparePeers } = await import('./peers.mjs');
  await comparePeers(tuned, { ...parts, key, hone: parts.service.hone, onCase: (work, peers) => parts.keeper.addPeers(work.name, peers) });
}

// Resolves when all is measured or `interrupted` resolves.
export async function measureAll(works, { place, seconds, rounds, db, folder, keeper, interrupted, log }) {
  prepareWorks(works, folder);
  const service = await startService(db), browser = await openBrowser(folder, place.browser, {}, { gpu: true });
  const parts = { browser, service, seconds, rounds, db, folder, keeper, log };
  const all = async () => {
    keeper.note({ place: { ...place, version: browser.version } });
    await noteLimits(browser, keeper, log);
    await browser.openAgent(`${service.url}&target=webgpu`);
    const cases = await measureCases(works, parts);
    if (!keeper.report.peers.skipped && cases.tuned.length > 0) await compare(cases, parts);
  };
  try {
    const ended = await Promise.race([all().then(() => 'complete'), interrupted.then(() => 'interrupted')]);
    keeper.note({ ended });
  } finally {
    await browser.close();
    await service.close();
  }
}
