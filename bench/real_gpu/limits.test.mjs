import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL } from './cases.mjs';
import { bytesOf, cacheOf, leastOf } from './limits.mjs';

const work = name => FULL.find(one => one.name === name);
const limits = { f32: { gflops: 2000 }, copy: { gb_s: 100 } };

test('given works, when their bytes are counted, then each argument and the result counts once', () => {
  assert.equal(bytesOf(work('matmul_1024')), 3 * 4 * 1024 ** 2);
  assert.equal(bytesOf(work('softmax_64x4096')), 2 * 4 * 64 * 4096);
  assert.equal(bytesOf(work('conv_56_64_3x3')), 4 * (2 * 64 * 56 * 56 + 64 * 64 * 9 + 64));
});

test('given limits, when a case is held against them, then the one that takes longer binds, and says which caches its time is of', () => {
  const product = leastOf({ flops: 2e9, bytes: 1e6 }, limits), sum = leastOf({ flops: 1e6, bytes: 1e8 }, limits);
  assert.deepEqual([product, sum], [{ by: 'arithmetic', us: 1000 }, { by: 'memory', us: 1000 }]);
  assert.deepEqual([cacheOf(product), cacheOf(sum), cacheOf(null)], ['hot', 'cold', 'hot']);
});

test('given an operator whose operations nobody counts, when it is held against the limits, then memory binds it', () => {
  assert.deepEqual(leastOf({ flops: 0, bytes: 1e5 }, limits), { by: 'memory', us: 1 });
});

test('given limits that were not measured, when a case is held against them, then the other one counts, or none', () => {
  assert.equal(leastOf({ flops: 2e9, bytes: 1e6 }, { f32: { failed: 'lost' }, copy: limits.copy }).by, 'memory');
  assert.equal(leastOf({ flops: 2e9, bytes: 1e6 }, { failed: 'no adapter' }), null);
});
