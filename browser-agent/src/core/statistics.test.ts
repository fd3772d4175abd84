import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';
import { clockStepNs, median } from './statistics.ts';

test('given an odd, an even and an empty sample, when the median is taken, then it is the middle, the mean of the middle two, and NaN', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.ok(Number.isNaN(median([])));
});

test('given failures in a row, when backing off, then the waits double up to the cap, jittered over their upper half, and start anew after a success', () => {
  const backoff = new Backoff({ first_ms: 100, cap_ms: 350, random: () => 0.5 });
  assert.deepEqual([backoff.nextMs(), backoff.nextMs(), backoff.nextMs(), backoff.nextMs()], [75, 150, 262.5, 262.5]);
  backoff.reset();
  assert.equal(backoff.nextMs(), 75);
});

test('given stamps of a clock that steps by 100 µs, by 65536 ns, by 1 ns or not at all, when asked, then that step comes out', () => {
  const stamps = (step: bigint): bigint[] => [3n, 7n, 8n, 20n, 21n].map(at => at * step + 5n);
  assert.equal(clockStepNs(stamps(100_000n)), 100_000);
  assert.equal(clockStepNs(stamps(65_536n)), 65_536);
  assert.equal(clockStepNs(stamps(1n)), 1);
  assert.equal(clockStepNs([7n, 7n, 7n]), 1e6);
});
