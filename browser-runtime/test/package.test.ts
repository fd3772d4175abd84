// Packages in a real headless Chromium, from a plain static server under a sub-path.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { expected, manifestOf, tinyPackage, x, type Files } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const strict = "default-src 'self'", with_wasm = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

interface Loaded {
  error?: string;
  name?: string;
  used?: { backend: string; plan: string; why: string };
  outputs?: { y: number[]; twice: number[] }[];
}

let server: StaticServer;
let chromium: Chromium;
let next_package = 1;

before(async () => {
  server = await StaticServer.start({ '/app/runtime/': dist });
  server.files.set('/app/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  chromium = await Chromium.launch();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  server.close();
});

function put(files: Files): string {
  const folder = `/app/package${next_package++}/`;
  server.put(folder, files);
  return folder;
}

async function openPage({ csp = with_wasm, headers = {} as Record<string, string>, host = '127.0.0.1' } = {}): Promise<void> {
  server.headers = { 'Content-Security-Policy': csp, ...headers };
  await chromium.open(server.url('/app/empty.html', host));
}

// Loads the package in the page and runs it on x and on ids 1…5, so many times at once.
async function loadAndRun(folder: string, options = '{}', runs = 1, inputs = `{ x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) }`): Promise<Loaded> {
  return await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const model = await load('${folder}', ${options});
    const inputs = ${inputs};
    const all = await Promise.all(Array.from({ length: ${runs} }, () => model.run(inputs)));
    const outputs = all.map(({ y, twice }) => ({ y: [...y], twice: [...twice].map(Number) }));
    const { used } = model;
    model.dispose();
    return { used, outputs };
  }).catch(error => ({ error: error.message, name: error.name }))`) as Loaded;
}

function assertRight({ error, outputs = [] }: Loaded, runs = 1): void {
  assert.equal(error, undefined);
  assert.equal(outputs.length, runs);
  for (const { y, twice } of outputs) {
    assert.equal(y.length, expected.length);
    for (const [i, value] of expected.entries()) assert.ok(Math.abs(y[i]! - value) < 1e-5, `element ${i}: ${y[i]}, expected ${value}`);
    assert.deepEqual(twice, [2, 4, -6, 8, 10]);
  }
}

test('given a package for WebGPU alone, when loaded under a Content-Security-Policy without exceptions, then it runs, several times at once', async () => {
  await openPage({ csp: strict });
  const loaded = await loadAndRun(put(tinyPackage({ backends: ['webgpu'] })), '{}', 12);
  assertRight(loaded, 12);
  assert.equal(loaded.used?.backend, 'webgpu');
  assert.equal(loaded.used?.plan, 'portable');
  assert.match(loaded.used?.why ?? '', /portable/);
});
