import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedGpu, steady } from './simulated_gpu.ts';

const near = (value: number, wanted: number, share: number) => assert.ok(Math.abs(value / wanted - 1) < share, `${value}, not ${wanted}`);

test('given a steady device, when it works, then its clock says the work, the page\'s what submitting and waiting cost besides', () => {
  const { device_ns, wall_ns } = new SimulatedGpu(steady, 1).run(1e6);
  near(device_ns, 1e6, 0.01);
  near(wall_ns, 1.25e6, 0.01);
});

test('given a clock that steps by 65,536 ns, when short work is timed, then it says nothing or a step, and in the mean the truth', () => {
  const gpu = new SimulatedGpu({ ...steady, clock: { ...steady.clock, step_ns: 65_536, jitter_ns: 1000 } }, 1);
  const said = Array.from({ length: 4000 }, () => gpu.run(20_000).device_ns);
  assert.deepEqual([...new Set(said)].sort((a, b) => a - b), [0, 65_536]);
  near(said.reduce((sum, ns) => sum + ns, 0) / said.length, 22_000, 0.1);
});

test('given a device that has rested, when it works for 300 ms, then it is at full speed, and after a long rest it is cold again', () => {
  const gpu = new SimulatedGpu({ ...steady, power: { cold: 0.4, ramp_ms: 300, rest_ms: 50, fall_ms: 300 } }, 1);
  near(gpu.run(1e6).device_ns, 2.5e6, 0.02);
  for (let i = 0; i < 300; i++) gpu.run(1e6);
  near(gpu.run(1e6).device_ns, 1e6, 0.01);
  gpu.rest(1000);
  near(gpu.run(1e6).device_ns, 2.5e6, 0.02);
});

test('given throttling, bursts of other work and a slow drift, when the device works, then its times follow them', () => {
  const throttled = new SimulatedGpu({ ...steady, throttle: { from_ms: 0, until_ms: 10, speed: 0.5 } }, 1);
  near(throttled.run(1e6).device_ns, 2e6, 0.01);
  throttled.rest(10);
  near(throttled.run(1e6).device_ns, 1e6, 0.01);
  const disturbed = new SimulatedGpu({ ...steady, bursts: { apart_ms: 20, long_ms: 20, slowdown: 2 } }, 1);
  near(disturbed.run(4e9).device_ns, 16e9 / 3, 0.1);
  const drifting = new SimulatedGpu({ ...steady, drift: { share: 0.05, period_ms: 1000 } }, 1);
  const times = Array.from({ length: 1000 }, () => drifting.run(1e6).device_ns);
  near(Math.max(...times) / Math.min(...times), 1.05, 0.01);
});

test('given a clock that is wrong at times or throughout, when work is timed, then it says times below nothing, beyond what has passed, or in another unit', () => {
  const wild = new SimulatedGpu({ ...steady, clock: { ...steady.clock, negative_share: 0.2, absurd_share: 0.2 } }, 1);
  const runs = Array.from({ length: 100 }, () => wild.run(1e6));
  for (const share of [runs.filter(({ device_ns }) => device_ns < 0).length, runs.filter(({ device_ns, wall_ns }) => device_ns === 0 || device_ns > wall_ns).length]) {
    assert.ok(share > 5 && share < 40, `${share}`);
  }
  near(new SimulatedGpu({ ...steady, clock: { ...steady.clock, unit: 1000 } }, 1).run(1e6).device_ns, 1e9, 0.01);
});
