import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Manifest, PlanFile } from '../generated/manifest.ts';
import { PackageError } from './package_error.ts';
import { checkManifest, checkPlanFile } from './read_manifest.ts';
import { manifestOf, tinyPackage } from '../../test/tiny_package.ts';

const files = tinyPackage({ backends: ['webgpu'] }), manifest = manifestOf(files), head = manifest.plans[0]!;
const plan = JSON.parse(String(files.get(head.plan.file))) as PlanFile;
const says = (pattern: RegExp) => (error: unknown): boolean => error instanceof PackageError && pattern.test(error.message);

test('given a manifest and a plan that fit together, when checked, then they are what they were', () => {
  assert.deepEqual(checkManifest(manifest), manifest);
  assert.equal(checkPlanFile(manifest, plan, 'plan.json', head.kernels.bytes), plan);
});

test('given manifests that cannot be right, when checked, then each is refused in one sentence', () => {
  const refused = (change: Partial<Manifest>, pattern: RegExp): void => assert.throws(() => checkManifest({ ...manifest, ...change }), says(pattern));
  const weight = manifest.weights[0]!;
  refused({ format: 'x' }, /not that of a package/);
  refused({ version: 2 }, /^The package has version 2 of its format, this runtime reads version 1/);
  refused({ chunks: [{ ...manifest.chunks[0]!, file: '../secret' }] }, /names the file "..\/secret", which cannot be beside it/);
  refused({ chunks: manifest.chunks.slice(0, 1) }, /puts weight 0 behind the end of its chunks/);
  const output = manifest.outputs[0]!, none = output.shape.map(() => 0);
  refused({ outputs: [{ ...output, lengths: [...none, 0] }] }, /gives the output y lengths for other dimensions/);
  refused({ outputs: [{ ...output, lengths: [...none.slice(1), 1] }] }, /gives the output y a length that is none/);
  refused({ outputs: [{ ...output, watched: ['x'] }] }, /has the output y, which tells nothing of others/);
  refused({ outputs: [{ ...output, shape: [1], watched: ['x'] }, output] }, /has the output y, which tells nothing of others/);
  refused({ weights: [{ ...weight, dtype: 'f64' }] }, /weight 0 of f64/);
  refused({ weights: [{ ...weight, bytes: 4 }] }, /weight 0 of f32 \[6,8\] has 4 bytes/);
  assert.throws(() => checkManifest(null), says(/format is missing/));
});

test('given plans that cannot be right, when checked, then each is refused in one sentence', () => {
  const refused = (change: Partial<PlanFile>, pattern: RegExp): void => assert.throws(() => checkPlanFile(manifest, { ...plan, ...change }, 'plan.json', head.kernels.bytes), says(pattern));
  const weight = plan.weights[0]!, output = plan.outputs[0]!;
  refused({ kernels: [{ ...plan.kernels[0]!, bytes: 1e6 }] }, /puts kernel 0 behind the end of its file/);
  refused({ weights: [{ ...weight, weight: 9 }] }, /names a tensor that the manifest has not/);
  refused({ weights: [{ ...weight, dims: [[0, 1, 6]] }] }, /in a layout that does not hold it/);
  refused({ weights: [{ ...weight, bytes: 100 }] }, /gives 100 bytes to a tensor that needs 256/);
  refused({ weights: [{ ...weight, buffer: 9 }] }, /puts 256 bytes into buffer 9, which has no place/);
  refused({ buffers: [16, 16, 16, 16, 16] }, /into buffer 1, which has 16/);
  refused({ outputs: plan.outputs.slice(1) }, /never gives the output y/);
  refused({ outputs: [{ ...output, dtype: 'f16' }, plan.outputs[1]!] }, /outputs are whole words/);
});
