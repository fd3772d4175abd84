import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { markdown, sizesOf, summaryOf } from './report.mjs';

function folderWith(files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-exports-'));
  for (const [name, bytes] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), Buffer.alloc(bytes, 'a'));
  test.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

const hone = folderWith({ 'index.js': 1000, 'plan-1.json': 24, 'weights-1.bin': 4096, 'index.html': 500, 'index.d.ts': 500 });
const tinygrad = folderWith({ 'net.json': 512, 'net.safetensors': 4096 }), runner = path.join(folderWith({ 'runner.js': 512 }), 'runner.js');

test('sizes are of what runs the model, and weights stand apart', () => {
  // Given a package with a page and types beside it, and an export that needs a file beside its folder, when sized, then the first leave out the page, the second has the file.
  assert.deepEqual([sizesOf(hone).code.bytes, sizesOf(hone).weights_bytes], [1024, 4096]);
  assert.deepEqual([sizesOf(tinygrad, [runner]).code.bytes, sizesOf(tinygrad, [runner]).weights_bytes], [1024, 4096]);
  assert.ok(sizesOf(hone).code.gzip < 1024);
});

test('each of the packages has its own ratio, and one that failed has none', () => {
  // Given packages of which one takes half the time of tinygrad and one failed, when written, then the first has a ratio and its launches, and the failure is named.
  const plan = { backend: 'webgpu', made_for: 'portable', launches: 24 }, used = { backend: 'webgpu', plan: 'portable' }, ran = (...samples_ms) => ({ ms: samples_ms[0], samples_ms, error: 1e-6, create_ms: 10, first_ms: 5 });
  const work = { name: 'encoder', plans: { hone: [plan], hone_untuned: [plan] }, made: { launches: 32 } };
  const found = summaryOf(work, { hone: { ...ran(10, 10), used }, hone_untuned: { failed: 'no adapter' }, tinygrad: ran(20, 20) }, { hone, hone_untuned: hone, tinygrad, runner });
  assert.deepEqual([found.over.hone, found.over.hone_untuned, found.launches.hone], [2, undefined, 24]);
  const text = markdown({ version: '1', rounds: 2, tinygrad: '0', works: [found] });
  assert.match(text, /\| encoder \| hone \| 10.0 \| 2.00× \| 15.0 \| 24 \| 1.0 \|/);
  assert.match(text, /- encoder, hone_untuned: no adapter\n/);
  assert.doesNotMatch(text, /undefined|NaN/);
});
