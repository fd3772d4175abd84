import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { gzipBytes, plansOf } from './packages.mjs';

function packageOf(files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-packages-'));
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
  return folder;
}

test('a plan has the launches that every run makes', () => {
  // Given a package whose plan has three launches, one of which is made ahead of the first run, when its plans are listed, then two are counted, and its memory is told apart.
  const head = { backend: 'wasm', made_for: 'portable', tuned: 0, tasks: 2, plan: { file: 'plan.json' }, kernels: { file: 'kernels.bin' }, memory_bytes: 100 };
  const folder = packageOf({ 'manifest.json': JSON.stringify({ plans: [head] }), 'plan.json': JSON.stringify({ launches: [{ ahead: true }, {}, { ahead: false }], weights: [{ bytes: 10 }, { bytes: 30 }] }) });
  assert.deepEqual(plansOf(folder), [{ backend: 'wasm', made_for: 'portable', tuned: 0, tasks: 2, plan: 'plan.json', kernels: 'kernels.bin', launches: 2,
    weight_bytes: 40, activation_bytes: 60 }]);
  fs.rmSync(folder, { recursive: true });
});

test('the runtime is counted without kernels and weights', () => {
  // Given two packages that differ in their weights, when their runtimes are weighed, then both weigh the same, and less than their text.
  const runtime = Object.fromEntries(['index.js', 'worker.js', 'runtime.wasm'].map(name => [name, 'text '.repeat(1000)]));
  const [small, large] = [packageOf(runtime), packageOf({ ...runtime, 'weights-1.bin': 'x'.repeat(100000) })];
  assert.equal(gzipBytes(small), gzipBytes(large));
  assert.ok(gzipBytes(small) < 4000);
  for (const folder of [small, large]) fs.rmSync(folder, { recursive: true });
});
