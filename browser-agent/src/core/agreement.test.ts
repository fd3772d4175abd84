import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agree, fastest, isSure } from './agreement.ts';

const samples = (...all_us: number[]) => all_us.map(us => ({ us, repeats: 10 }));
// Ten executions longer; times in ms.
const slope = (short_ms: number, long_ms: number, repeats = 10) => ({ us: (long_ms - short_ms) * 1000 / repeats, repeats, runs: { short_ns: short_ms * 1e6, long_ns: long_ms * 1e6 } });
const times = (all: readonly { us: number }[]) => all.map(({ us }) => Math.round(us));

test('given samples of which some are beside other work, when the fastest are asked for, then those come out in the order of their taking', () => {
  assert.deepEqual(times(fastest(samples(20, 11, 10, 12, 20), 3)), [11, 10, 12]);
  assert.deepEqual(times(fastest(samples(3, 1, 2), 3)), [3, 1, 2]);
  assert.deepEqual(times(fastest(samples(3, 1), 3)), [3, 1]);
});

test('given samples, when asked whether they agree, then as many of the fastest lie within a tenth, and to be sure closer together', () => {
  assert.equal(agree(samples(20, 20, 10), 3), false);
  assert.equal(agree(samples(20, 20, 10, 10.5, 10.9), 3), true);
  assert.equal(isSure(samples(20, 20, 10, 10.5, 10.9), 3), false);
  assert.equal(isSure(samples(20, 20, 10, 10.5, 10.6), 3), true);
  assert.equal(agree(samples(10, 10), 3), false);
});

test('given three samples beside other work that agree with each other, when one was faster, then they do not agree until two more are as fast', () => {
  assert.equal(agree(samples(10, 20, 20, 20), 3), false);
  assert.equal(agree(samples(10, 20, 20, 20, 10, 10), 3), true);
});

test('given slopes whose shorter or longer runs were beside other work, when those that count are asked for, then they are between the runs that were not', () => {
  const all = [slope(10, 30), slope(18, 30), slope(10, 40), slope(10, 30)];   // 20 ms, 12 ms and 30 ms longer
  assert.deepEqual(times(fastest(all, 3)), [2000, 2000, 2000]);
  assert.equal(agree(all, 3), true);
  assert.equal(agree(all.slice(0, 3), 3), false);
});

test('given slopes that are alike by accident, when their runs are not, then they do not agree', () => {
  assert.equal(agree([slope(10, 30), slope(14, 34), slope(10, 30)], 3), false);
});

test('given slopes of which the first has other repeats, when the others are slower than that, then they do not agree; where it was slower, they do', () => {
  const others = [slope(10, 30, 5), slope(10, 30, 5), slope(10, 30, 5)];
  assert.equal(agree([slope(15, 35), ...others], 3), false);
  assert.equal(agree([slope(20, 70), ...others], 3), true);
  assert.deepEqual(times(fastest([slope(20, 70), ...others], 3)), [4000, 4000, 4000]);
});
