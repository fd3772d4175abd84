import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arithmeticOf, coarse, memoryOf } from './signature.ts';

test('given two measurements of one device, when they scatter by some per cent, then the figures are the same or neighbours, a quarter apart at most', () => {
  for (let figure = 0.013; figure < 90_000; figure *= 1.7) {
    const [low, high] = [coarse(figure * 0.97), coarse(figure * 1.03)];
    assert.ok(low !== undefined && high !== undefined);
    assert.ok(high / low < 1.26, `${low}, ${high}`);
    assert.ok(Math.abs(Math.log(low / figure)) < Math.log(1.15));
  }
});

test('given a time that is none, when a rate is made of it, then there is no figure', () => {
  for (const us of [0, -1, NaN, Infinity]) assert.deepEqual(arithmeticOf(1e6, us), {});
  assert.deepEqual(arithmeticOf(4e6, 4), { arithmetic_gflops: 1000 });
  assert.deepEqual([memoryOf(0), memoryOf(100)], [{}, { memory_gb_s: 100 }]);
});
