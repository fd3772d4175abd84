// What a second start of a package fetches, in a real headless Chromium.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { expected, manifestOf, tinyPackage, x } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const folder = '/app/package/', manifest_path = `${folder}manifest.json`;

interface Said { error?: string; why: string; y: number[] }

let server: StaticServer;
let chromium: Chromium;

before(async () => {
  server = await StaticServer.start({ '/app/runtime/': dist });
  server.files.set('/app/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  chromium = await Chromium.launch();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  server.close();
});

// Loads and runs in a fresh page, and waits until what is kept is what the manifest names; gives the files that the server was asked for.
async function start({ prelude = '', keeps = true } = {}): Promise<{ said: Said; asked: string[] }> {
  server.asked.length = 0;
  await chromium.open(server.url('/app/empty.html'));
  const said = await chromium.evaluate(`(async () => {
    const { load } = await import('/app/runtime/index.js');
    ${prelude}
    const model = await load('${folder}', { backend: 'webgl' });
    const { y } = await model.run({ x: Float32Array.of(${[...x]}), ids: new BigInt64Array(5) });
    while (${keeps} && !await settled()) await new Promise(requestAnimationFrame);
    return { why: model.used.why, y: [...y] };
    async function settled() {
      const text = await (await caches.match('${manifest_path}'))?.text(), kept = await (await caches.open('hone:tiny:1')).keys();
      return text !== undefined && kept.every(({ url }) => url.endsWith('manifest.json') || text.includes(url.split('/').at(-1)));
    }
  })().catch(error => ({ error: error.message }))`) as Said;
  return { said, asked: server.asked.filter(file => file.startsWith(folder)).map(file => file.slice(folder.length)) };
}

function assertRight({ error, y }: Said): void {
  assert.equal(error, undefined);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs(y[i]! - value) < 1e-5, `element ${i}: ${y[i]}, expected ${value}`);
}

test('given a package that was loaded before, when loaded again, then only the manifest is fetched; and without the server, nothing', async () => {
  server.put(folder, tinyPackage({ backends: ['webgl'] }));
  const first = await start();
  assertRight(first.said);
  assert.equal(first.asked.length, 5, 'control: manifest, plan, kernels, two chunks');
  const second = await start();
  assertRight(second.said);
  assert.deepEqual(second.asked, ['manifest.json']);
  const offline = await start({ prelude: `globalThis.fetch = () => Promise.reject(new TypeError('offline'));` });
  assertRight(offline.said);
  assert.deepEqual(offline.asked, []);
});

test('given another export in the same folder, when loaded, then what it does not share is fetched, and what it does not name is deleted', async () => {
  const before_files = tinyPackage({ backends: ['webgl'] }), files = tinyPackage({ backends: ['webgl'], code: (_, code) => Buffer.concat([code, Buffer.from(' ')]) });
  server.put(folder, before_files);
  await start();
  server.put(folder, files);
  const { said, asked } = await start();
  assertRight(said);
  const { plan, kernels } = manifestOf(files).plans[0]!;
  assert.deepEqual([...asked].sort(), [kernels.file, 'manifest.json', plan.file].sort());
  const kept = await chromium.evaluate(`caches.open('hone:tiny:1').then(cache => cache.keys()).then(keys => keys.map(({ url }) => url.split('/').at(-1)))`) as string[];
  assert.deepEqual(kept.sort(), [...files.keys()].sort());
});

test('given what is kept is not what was exported, when loaded, then it is fetched again', async () => {
  const files = tinyPackage({ backends: ['webgl'] }), [chunk] = manifestOf(files).chunks;
  server.put(folder, files);
  await start();
  const spoil = `await (await caches.open('hone:tiny:1')).put('${folder}${chunk!.file}', new Response(new Uint8Array(${chunk!.bytes})));`;
  const { said, asked } = await start({ prelude: spoil });
  assertRight(said);
  assert.deepEqual([...asked].sort(), ['manifest.json', chunk!.file].sort());
});

test('given storage that is full, or no cache at all, when loaded, then it runs, and why tells of what could not be kept', async () => {
  server.put(folder, tinyPackage({ backends: ['webgl'] }));
  const forget = `await caches.delete('hone:tiny:1');`;
  const full = await start({ keeps: false, prelude: `${forget} Cache.prototype.put = () => Promise.reject(new Error('Quota exceeded'));` });
  assertRight(full.said);
  assert.match(full.said.why, /The browser does not keep the package for the next start: Quota exceeded\.$/);
  const none = await start({ keeps: false, prelude: `Object.defineProperty(globalThis, 'caches', { value: undefined });` });
  assertRight(none.said);
  assert.doesNotMatch(none.said.why, /keep/);
});
