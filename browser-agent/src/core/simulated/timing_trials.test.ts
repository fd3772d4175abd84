// A fiftieth of `scripts/bench timing`: what is wanted of the whole holds of so few, too.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { falseRecords } from './record_trials.ts';
import { Bench, gpuTraits, medianErrors, often_disturbed, policy, sameAgainstSame, slopeTraits, wronglyLost } from './timing_trials.ts';

const short_us = [5, 3000] as const;
const under = (value: number, bound: number) => assert.ok(value <= bound, `${value}, not at most ${bound}`);

test('given GPUs whose clocks step, when kernels of 5 µs and more are measured, then medians are off by 3 % at most and take 40 ms of the device', async () => {
  for (const step_ns of [65_536, 100_000]) {
    for (const method of ['timestamp', 'clock'] as const) {
      const { median_error_p99, device_ms, unstable_share } = await medianErrors(gpuTraits(step_ns), 200, short_us, method);
      under(median_error_p99, 0.03);
      under(device_ms, 40);
      under(unstable_share, 0);
    }
  }
});

test('given a GPU with drift and other work three times a second, when kernels are measured, then their times are none of that work\'s', async () => {
  under((await medianErrors(gpuTraits(65_536, often_disturbed), 800, short_us)).median_error_p99, 0.06);
});

test('given GPUs without timestamps, when kernels are measured by slopes, then medians are right to a tenth, whatever waiting takes', async () => {
  for (const [overhead_ms, device_ms_max, error_max] of [[0.3, 50, 0.04], [5, 220, 0.1]] as const) {
    const { median_error_p99, device_ms, unstable_share } = await medianErrors(slopeTraits(overhead_ms), 200, short_us, 'slope');
    under(median_error_p99, error_max);
    under(device_ms, device_ms_max);
    under(unstable_share, 0.01);
  }
});

test('given candidates faster than the best, bursts of other work, ramps and drift, when measured, then none is out of the race', async () => {
  const { wrongly_lost_share, unstable_share } = await wronglyLost(3000);
  under(wrongly_lost_share, 0.001);
  under(unstable_share, 0.01);
});

test('given a kernel against itself, bursts of other work, ramps and drift, when finals are held, then it is not called faster', async () => {
  under((await sameAgainstSame(300)).aa_false_share, 0.01);
});

test('given clocks that run backwards or count in another unit, throttling, and other work, by stamps and by slopes, when measured, then no job fails and no record is false', async () => {
  for (const [name, { false_records, failed, unstable, candidates, method }] of Object.entries(await falseRecords(300))) {
    assert.deepEqual({ name, false_records, failed }, { name, false_records: 0, failed: 0 });
    under(unstable, candidates / 10);
    assert.equal(method, /^(unit|slopes)/.test(name) ? 'slope' : 'timestamp');
  }
});

test('given a device that is slow for good, when kernels are measured by slopes, then records say how slow it is, whatever waiting takes', async () => {
  for (const overhead_ms of [0.3, 5]) {
    const bench = await Bench.make({ ...slopeTraits(overhead_ms), throttle: { from_ms: 0, until_ms: Infinity, speed: 0.5 } }, 1, 'slope');
    const slowdowns = (await bench.measure([50, 200, 500, 1000, 2000])).map(({ result }) => result.reference_us / bench.backend.usual_us);
    for (const slowdown of slowdowns) assert.ok(Math.abs(slowdown / 2 - 1) < 0.1, `${slowdown} at ${overhead_ms} ms`);
  }
});

test('given waits that scatter beyond measure, when kernels are measured by slopes, then the outcome is unstable, in words', async () => {
  const traits = slopeTraits(5), bench = await Bench.make({ ...traits, host: { ...traits.host, wait_ns: 60e6, jitter: 0.3 } }, 1, 'slope');
  const measured = await bench.measure([50, 500]);
  assert.deepEqual(measured.map(({ result: { outcome } }) => outcome), ['unstable', 'unstable']);
  for (const { result: { message } } of measured) assert.match(message, /submitting and waiting scatter/);
});

test('given a candidate that is slower than the race allows, when measured, then its loss is seen in two rounds of one sample', async () => {
  const bench = await Bench.make(gpuTraits(65_536), 1), [measured] = await bench.measure([500], policy, 100);
  assert.equal(measured!.result.outcome, 'ok');
  assert.equal(measured!.result.samples_us.length, 1);
  assert.ok(Math.abs(measured!.result.latency_us_median / 500 - 1) < 0.03);
});

test('given a clock that says nothing but nonsense once a device is open, when measured, then the outcome is unstable, in words, and the others follow', async () => {
  const bench = await Bench.make(gpuTraits(65_536), 1);
  const { gpu } = bench.backend, honest = gpu.run.bind(gpu);
  gpu.run = work_ns => ({ ...honest(work_ns), device_ns: -1 });
  const spoilt = await bench.measure([100, 200]);
  assert.deepEqual(spoilt.map(({ result }) => result.outcome), ['unstable', 'unstable']);
  assert.match(spoilt[0]!.result.message, /nonsense/);
  gpu.run = honest;
  assert.deepEqual((await bench.measure([100])).map(({ result }) => result.outcome), ['ok']);
});

test('given kernels whose output is wrong from some execution on, when measured, then they have no time where that is among the timed ones, hot and cold', async () => {
  for (const cache of ['hot', 'cold'] as const) {
    const bench = await Bench.make(gpuTraits(65_536), 1);
    for (const [trial, executions] of [[1, 0], [2, 1], [3, 30], [4, 1e6]] as const) bench.backend.right_for.set(trial, executions);
    const measured = await bench.measure([100, 100, 100, 100, 100], { ...policy, cache });
    assert.deepEqual(measured.map(({ result: { outcome } }) => outcome), ['wrong_output', 'wrong_output', 'wrong_output', 'ok', 'ok']);
    assert.deepEqual(measured.map(({ result: { samples_us } }) => samples_us.length), [0, 0, 0, 3, 3]);
    assert.deepEqual(measured.map(({ result: { message } }) => /right before the timed runs/.test(message)), [false, true, true, false, false]);
  }
});
