// Which backend a package settles on, in a real headless Chromium whose WebAssembly is made slow: its worker gets each run late.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { expected, tinyPackage, x } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const late_ms = 100;
const slow_wasm = `{
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, transfer) {
    if (message.request?.kind === 'run') setTimeout(() => post.call(this, message, transfer), ${late_ms});
    else post.call(this, message, transfer);
  };
}`;
const inputs = `{ x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) }`;

interface Said { error?: string; before?: string; used: { backend: string; plan: string; why: string }; y?: number[]; order?: number[] }

let server: StaticServer;
let chromium: Chromium;

before(async () => {
  server = await StaticServer.start({ '/app/runtime/': dist });
  server.files.set('/app/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  server.put('/app/package/', tinyPackage({ backends: ['webgpu', 'wasm'] }));
  chromium = await Chromium.launch();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  server.close();
});

// measured: a promise of what is used once all backends were measured.
async function inPage(script: string): Promise<Said> {
  await chromium.open(server.url('/app/empty.html'));
  return await chromium.evaluate(`(async () => {
    ${slow_wasm}
    const { load } = await import('/app/runtime/index.js');
    let onUsed, inputs = ${inputs};
    const measured = new Promise(done => { onUsed = done; });
    const loaded = options => load('/app/package/', { onUsed, ...options });
    ${script}
  })().catch(error => ({ error: error.message }))`) as Said;
}

function assertRight({ error, y = [] }: Said): void {
  assert.equal(error, undefined);
  assert.equal(y.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs(y[i]! - value) < 1e-5, `element ${i}: ${y[i]}, expected ${value}`);
}

test('given race: false, when loaded and run, then what runs first stays, and a second load knows no better', async () => {
  const said = await inPage(`
    const model = await loaded({ race: false });
    await model.run(inputs);
    model.dispose();
    return { used: (await loaded({ race: false })).used };`);
  assert.equal(said.used.backend, 'wasm');
  assert.doesNotMatch(said.used.why, /measured|fastest/);
});

test('given WebAssembly that is slow, when a package has run, then WebGPU takes over, runs end in order, why tells the times, and the next load begins with it', async () => {
  const said = await inPage(`
    const model = await loaded(), before = model.used.backend, order = [];
    await model.run(inputs);
    const used = await measured;
    const runs = Array.from({ length: 5 }, (_, i) => model.run(inputs).then(({ y }) => { order.push(i); return y; }));
    const [y] = await Promise.all(runs);
    model.dispose();
    return { before, used, y: [...y], order };`);
  assertRight(said);
  assert.equal(said.before, 'wasm');
  assert.equal(said.used.backend, 'webgpu');
  assert.match(said.used.why, /^The plan is portable; measured: wasm \d+\.\d ms, webgpu \d+\.\d ms\./);
  assert.deepEqual(said.order, [0, 1, 2, 3, 4]);

  const again = await inPage(`
    const model = await loaded();
    const { y } = await model.run(inputs);
    return { used: model.used, y: [...y] };`);
  assertRight(again);
  assert.equal(again.used.backend, 'webgpu');
  assert.match(again.used.why, /^The plan is portable, and was the fastest here before\.$/);
});

test('given runs that were asked for before another backend takes over, when they end, then it is in the order in which they were asked for', async () => {
  const said = await inPage(`
    indexedDB.deleteDatabase('hone');
    const model = await loaded(), order = [];
    await model.run(inputs);
    const runs = [0, 1, 2, 3].map(i => model.run(inputs).then(() => order.push(i)));
    void measured.then(() => runs.push(model.run(inputs).then(() => order.push(4))));
    await measured;
    await Promise.all(runs);
    return { used: model.used, order };`);
  assert.equal(said.error, undefined);
  assert.equal(said.used.backend, 'webgpu');
  assert.deepEqual(said.order, [0, 1, 2, 3, 4]);
});

test('given a browser without IndexedDB, when a package is loaded and run, then the fastest is found without it', async () => {
  const said = await inPage(`
    Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('refused'); } });
    const model = await loaded();
    await model.run(inputs);
    return { used: await measured };`);
  assert.equal(said.error, undefined);
  assert.equal(said.used.backend, 'webgpu');
  assert.match(said.used.why, /measured: /);
});

test('given tuneOnDevice, when a package with several plans for the backend has run, then each that fits was measured, the fastest runs, and the next load begins with it', async () => {
  let position = 0;   // of a kernel among those of all plans
  const slower = (code: Uint8Array): Uint8Array => Buffer.from(String(code).replace(/var sum = 0\.0;[^]*y\[i\] = sum;/, body => `for (var again = 0u; again < 100000u; again++) { ${body} }`));
  const names = ['ours', 'a neighbour', 'another'].values();
  server.put('/app/plans/', tinyPackage({
    backends: ['webgpu', 'webgpu', 'webgpu'], code: (_, code) => (position++ < 2 ? slower(code) : Buffer.from(`${String(code)}\n// ${position}`)),
    head: () => {
      const made_for = names.next().value as string;
      return { made_for, limits: made_for === 'another' ? { maxBufferSize: 2 ** 52 } : {} };
    },
  }));
  const tune = `
    const model = await load('/app/plans/', { backend: 'webgpu', tuneOnDevice: true, onUsed }), before = model.used.plan;
    await model.run(inputs);
    const used = await measured, { y } = await model.run(inputs);
    model.dispose();
    return { before, used, y: [...y] };`;
  const said = await inPage(tune);
  assertRight(said);
  assert.equal(said.before, 'ours');
  assert.equal(said.used.plan, 'a neighbour');
  assert.match(said.used.why, /; measured: webgpu \(ours\) \d+\.\d ms, webgpu \(a neighbour\) \d+\.\d ms\. .*The plan another for webgpu does not run here: the device has maxBufferSize/);

  const again = await inPage(tune.replace('await measured', 'model.used'));
  assertRight(again);
  assert.equal(again.before, 'a neighbour');
  assert.match(again.used.why, /was the fastest here before\./);
});
