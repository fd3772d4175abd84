// The reads by which a GPU's cache is told on WebGL, in a real headless Chromium on software, of which they tell nothing sure: that they are legal, end, and
// give their memory back is what shows here.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Chromium } from './chromium.ts';
import type { Told } from './gl_cache_page.ts';

const agent = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

let chromium: Chromium;

before(async () => {
  chromium = await Chromium.launch();
  await chromium.open('about:blank');
  const { outputFiles: [page] } = await build({ entryPoints: [path.join(agent, 'test/gl_cache_page.ts')], bundle: true, write: false, format: 'iife', globalName: 'gl_cache' });
  await chromium.evaluate(`${page!.text}; globalThis.gl_cache = gl_cache; 0`);
}, { timeout: 60_000 });

after(() => chromium.close());

async function told(method: 'timestamp' | 'slope', room?: number): Promise<Told> {
  return await chromium.evaluate(`gl_cache.told('${method}', 1024, ${room})`) as Told;
}

for (const method of ['timestamp', 'slope'] as const) {
  test(`given a context whose clock tells a ${method}, when working sets are read, then no draw is an error, the answer is a size or nothing, and all is given back`, { timeout: 60_000 }, async () => {
    const { bytes, draws, held, error } = await told(method);
    assert.ok(draws >= 3, `${draws} draws`);
    assert.ok(bytes === 0 || (bytes >= 1 << 20 && bytes <= 16 << 20 && Number.isInteger(Math.log2(bytes))), `${bytes}`);
    assert.deepEqual([held, error], [[], 0]);
  });
}

test('given a context that does not make all textures, when working sets are to be read, then nothing is told, and all is given back', { timeout: 60_000 }, async () => {
  const { bytes, held, error } = await told('timestamp', 1);
  assert.deepEqual([bytes, held, error], [0, [], 0]);
});
