import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesBelow, linearSubgroupSize, sizesAskable, subgroupsOf } from './subgroups.ts';

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

test('given adapters whose subgroups differ in size, when asked which sizes kernels may ask for, then those between the smallest and the largest, where the browser has the control of sizes', () => {
  const sizes = (min: number | undefined, max: number | undefined, ...features: string[]) => sizesAskable(infoOf(min, max), deviceWith(features));
  assert.deepEqual(sizes(32, 64, 'subgroups', 'subgroup-size-control'), [32, 64]);
  assert.deepEqual(sizes(8, 32, 'subgroups', 'subgroup-size-control'), [8, 16, 32]);
  assert.deepEqual(sizes(8, 32, 'subgroups'), []);
  assert.deepEqual(sizes(8, 32, 'subgroup-size-control'), []);
  assert.deepEqual(sizes(undefined, undefined, 'subgroups', 'subgroup-size-control'), []);
});

test('given a device whose subgroups differ in size, when the browser has no control of sizes, then no kernel runs, and none may use them', async () => {
  assert.deepEqual(await subgroupsOf(infoOf(8, 32), deviceWith(['subgroups'])), { linear: 0, asked: [] });
  await assert.rejects(subgroupsOf(infoOf(8, 32), deviceWith(['subgroups', 'subgroup-size-control'])), /about to run/, 'control: with it they are tried');
});
