import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownUs, together } from './reference_look.ts';
import { success } from './outcome.ts';
import { WaitScatter } from './wait_scatter.ts';

test('given two looks, when they are put together, then that is their mean, or the faster one where other work was in the slower one', () => {
  assert.equal(together(1000, 1080), 1040);
  assert.equal(together(2000, 1000), 1000);
  assert.equal(together(1000, 2000), 1000);
});

test('given times of the wall clock, when the device\'s own is asked for, then it is without the usual wait; of other clocks it is all', async () => {
  const scatter = new WaitScatter(async () => success(5e6));
  assert.equal(ownUs(25_000, scatter), 25_000);
  await scatter.look();
  assert.equal(ownUs(25_000, scatter), 20_000);
  assert.equal(ownUs(25_000, undefined), 25_000);
});
