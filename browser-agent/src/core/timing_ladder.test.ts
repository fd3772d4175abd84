import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policy } from '../../test/samples.ts';
import { success } from './outcome.ts';
import { repeats_max, TimingLadder } from './timing_ladder.ts';

const stamps = { method: 'timestamp', quantum_ns: 1 }, slope = { method: 'slope', quantum_ns: 5000 };

// A kernel of `each_ns` whose run costs `overhead_ns` besides; the first run is `cold` times slower.
function kernel(each_ns: number, overhead_ns = 0, cold = 1): { time(n: number): Promise<ReturnType<typeof success<number>>>; runs: number[] } {
  const runs: number[] = [];
  return { runs, time: async n => success((runs.push(n) === 1 ? cold : 1) * n * each_ns + overhead_ns) };
}

test('given a kernel of 10 µs and timestamps, when climbed, then a sample lasts 3 ms at least and is one kernel\'s time', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, stamps, policy, 10_000);
  assert.ok((await ladder.climb()).ok);
  assert.ok(ladder.repeats >= 300);
  assert.deepEqual(await ladder.sampleUs(), success(10));
});

test('given a cold first look 50 times too slow, when climbed, then the repeats still grow to a whole sample', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, stamps, policy, 500_000);
  await ladder.climb();
  assert.ok(ladder.repeats * 10_000 >= 3e6);
});

test('given a clock that steps by 100 µs, when climbed, then a sample lasts 50 steps', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, { method: 'timestamp', quantum_ns: 1e5 }, policy, 10_000);
  await ladder.climb();
  assert.ok(ladder.repeats * 10_000 >= 5e6);
});

test('given wall time with 2 ms of overhead, when sampled by slope, then the overhead is gone', async () => {
  const k = kernel(10_000, 2e6), ladder = new TimingLadder(k, slope, policy, 2_010_000);
  await ladder.climb();
  assert.deepEqual(await ladder.sampleUs(), success(10));
});

test('given a kernel longer than a sample, when climbed by timestamps, then it does not run again before its first sample', async () => {
  const k = kernel(5e6), ladder = new TimingLadder(k, stamps, policy, 5e6);
  await ladder.climb();
  assert.deepEqual(k.runs, []);
  assert.deepEqual(await ladder.sampleUs(), success(5000));
  assert.deepEqual(k.runs, [1]);
});

test('given a clock around the kernel itself, when sampled, then a sample is N executions divided by N, as with timestamps', async () => {
  const k = kernel(10_000), ladder = new TimingLadder(k, { method: 'clock', quantum_ns: 5000 }, policy, 10_000);
  await ladder.climb();
  assert.deepEqual(await ladder.sampleUs(), success(10));
  assert.equal(k.runs.length, 1);
});

test('given a kernel that takes no time, when climbed, then the repeats end at their limit', async () => {
  const ladder = new TimingLadder(kernel(0), stamps, policy, 0);
  assert.ok((await ladder.climb()).ok);
  assert.equal(ladder.repeats, repeats_max);
});

test('given wall times that fall when the work doubles, when sampled by slope, then the outcome is unstable', async () => {
  let next = 10e6;
  const ladder = new TimingLadder({ time: async () => success(next -= 1000) }, slope, policy, 1e6);
  const sample = await ladder.sampleUs();
  assert.equal(sample.ok ? 'ok' : sample.outcome, 'unstable');
});
