import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../test/samples.ts';
import { DriftMonitor } from './drift.ts';
import { failure } from './outcome.ts';
import { Power } from './power.ts';
import { SimulatedBackend } from './simulated/simulated_backend.ts';
import { SimulatedGpu, steady } from './simulated/simulated_gpu.ts';

async function cold(): Promise<{ gpu: SimulatedGpu; power: Power; drift: DriftMonitor; usual_us: number; referenceUs(): Promise<number> }> {
  const gpu = new SimulatedGpu({ ...steady, clock: { ...steady.clock, step_ns: 65_536, jitter_ns: 1000 }, power: { cold: 0.4, ramp_ms: 300, rest_ms: 50, fall_ms: 300 } }, 1);
  const backend = await SimulatedBackend.connect(gpu, fingerprint, 'timestamp'), drift = new DriftMonitor(65.536);
  gpu.rest(1000);
  const referenceUs = async () => { const read = await backend.referenceUs(); return (read.ok ? read.value : NaN) / backend.usual_us; };
  return { gpu, drift, usual_us: backend.usual_us, power: new Power(() => backend.referenceUs(), backend.scheduler, drift), referenceUs };
}

test('given a GPU that has rested, when its power is raised, then the reference kernel runs at full speed', async () => {
  const { power, referenceUs } = await cold();
  await power.raise();
  assert.ok(Math.abs(await referenceUs() - 1) < 0.05);
});

test('given a GPU that has just worked, when its power is raised, then nothing runs; after a rest as short as its clock forgives it is a look', async () => {
  const { gpu, power, drift, referenceUs } = await cold();
  await power.raise();
  const busy_ms = () => gpu.busy_ms;
  for (let i = 0; i < 5; i++) drift.observe(await referenceUs() * 3300);
  power.note();
  const worked_ms = busy_ms();
  await power.raise();
  assert.equal(busy_ms(), worked_ms);
  gpu.rest(40);
  await power.raise();
  assert.ok(busy_ms() - worked_ms > 5 && busy_ms() - worked_ms < 20, `${busy_ms() - worked_ms} ms`);
});

test('given a usual time, when other work ends the fall of the times, then the power is raised further', async () => {
  const { gpu, power, drift, usual_us, referenceUs } = await cold();
  for (let i = 0; i < 5; i++) drift.observe(usual_us);
  const run = gpu.run.bind(gpu), until_ms = gpu.now_ms + 120;
  gpu.run = work_ns => run(gpu.now_ms > until_ms - 60 && gpu.now_ms < until_ms ? 2 * work_ns : work_ns);
  await power.raise();
  assert.ok(Math.abs(await referenceUs() - 1) < 0.05, `${await referenceUs()}`);
});

test('given a reference kernel that fails, when the power is raised, then that ends', async () => {
  const power = new Power(() => Promise.resolve(failure('device_lost', 'gone')), { nowMs: () => 0, after: () => () => {} }, new DriftMonitor());
  await power.raise();
});
