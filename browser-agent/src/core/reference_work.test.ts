import assert from 'node:assert/strict';
import { test } from 'node:test';
import { health_flops, ReferenceWork, threads } from './reference_work.ts';

// A GPU that computes so many GFLOP/s and takes gap_ns for each launch, whatever it computes.
function simulated(gflops: number, gap_ns: number) {
  let rounds = 0, now_ms = 0;
  const read = (launches: number) => {
    const device_ns = launches * (gap_ns + threads * rounds * 32 / gflops);
    now_ms += device_ns / 1e6;
    return Promise.resolve({ device_ns, wall_ns: device_ns });
  };
  const work = new ReferenceWork(wanted => { rounds = wanted; }, () => now_ms);
  return { work, read, roundsOf: () => rounds };
}

const timer = { method: 'timestamp', quantum_ns: 65_536 } as const;

for (const [name, gflops, gap_ns] of [['a phone', 500, 20_000], ['a laptop', 4000, 5_000], ['a desktop', 30_000, 3_000], ['software', 20, 10_000]] as const) {
  test(`given ${name}, when the work is set, then a run is few launches, and its time is arithmetic and not what lies between them`, async () => {
    const { work, read, roundsOf } = simulated(gflops, gap_ns);
    await work.calibrate(read, timer);
    const health_us = await work.healthUs(() => read(work.repeats));
    assert.ok(work.repeats <= 8 || roundsOf() === 65_536, `${work.repeats} launches of ${roundsOf()} rounds`);
    const measured = health_flops / health_us / 1000;
    assert.ok(measured > 0.9 * gflops && measured <= 1.01 * gflops, `${measured} of ${gflops} GFLOP/s`);
  });
}
