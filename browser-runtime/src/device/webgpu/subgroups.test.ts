import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesBelow, linearSubgroupSize } from './subgroups.ts';

// A device that must not be asked: what its adapter says decides.
function deviceWith(features: readonly string[]): GPUDevice {
  return { features: new Set(features), get limits() { throw new Error('a kernel was about to run'); } } as unknown as GPUDevice;
}
const infoOf = (min: number | undefined, max: number | undefined) => ({ subgroupMinSize: min, subgroupMaxSize: max }) as unknown as GPUAdapterInfo;

test('given devices without subgroups, of several sizes or of none that can be, when asked for their size, then it is 0 and no kernel runs', async () => {
  assert.equal(await linearSubgroupSize(infoOf(32, 32), deviceWith([])), 0);
  for (const [min, max] of [[8, 32], [undefined, undefined], [1, 1], [24, 24]] as const)
    assert.equal(await linearSubgroupSize(infoOf(min, max), deviceWith(['subgroups'])), 0, `${min} to ${max}`);
  await assert.rejects(linearSubgroupSize(infoOf(32, 32), deviceWith(['subgroups'])), /about to run/, 'control: one size is measured');
});

test('given a size, when the differences of its lanes are listed, then they are the powers of 2 below it', () => {
  assert.deepEqual(differencesBelow(32), [1, 2, 4, 8, 16]);
  assert.deepEqual(differencesBelow(2), [1]);
  assert.deepEqual(differencesBelow(1), []);
});
