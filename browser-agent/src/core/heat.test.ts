import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, fingerprint, policy } from '../../test/samples.ts';
import type { Backend, Kernel } from '../device/backend.ts';
import { ProcessorProbe } from './calm.ts';
import { DriftMonitor } from './drift.ts';
import { Heat, type Contender } from './heat.ts';
import { failure, success } from './outcome.ts';
import { OtherWork } from './other_work.ts';
import { emptyResult, type WorkItem } from './result.ts';

// A processor that is shared: of each period of 60 ms it is ours for the first calm_ms, and half as fast in the others. Kernels and probes run on it.
class SharedProcessor {
  now_ms = 0;
  executions = 0;
  readonly probe = new ProcessorProbe(() => this.now_ms, rounds => this.#spend(rounds * 1e-4));
  #calm_ms = 60;

  constructor(calm_ms: number) {
    this.probe.disturbance();  // the agent has seen its full speed
    this.#calm_ms = calm_ms;
    this.now_ms = 1000 * 60 + 30;
  }

  #spend(work_ms: number): void {
    for (let left_ms = work_ms; left_ms > 0; left_ms -= 0.1) this.now_ms += this.now_ms % 60 < this.#calm_ms ? 0.1 : 0.2;
  }

  kernel(each_ms: number, compiles_late: boolean): Kernel {
    const time = (repeats: number) => {
      const started_ms = this.now_ms;
      this.executions += repeats;
      this.#spend(each_ms * repeats);
      return Promise.resolve(success((this.now_ms - started_ms) * 1e6));
    };
    const recheck = () => Promise.resolve(success({ max_error: 0, unwritten: 0, finding: '' }));
    return { create_ms: 0, compiles_late, check: () => Promise.resolve(failure('unsupported', 'it was checked before')), time, recheck, rotating: () => Promise.resolve(failure('out_of_memory', 'no copies')), dispose: () => {} };
  }

  // late_ms: of the first execution, what the driver compiles in it.
  async samplesUs(each_ms: number, probe: ProcessorProbe | undefined, best_so_far_us = 0, late_ms = 0): Promise<readonly number[]> {
    const item: WorkItem = { batch: 1, fence: 1, task: 't', policy, candidate: candidate(1, { best_so_far_us }), modules: [] };
    const contender: Contender = { item, kernel: this.kernel(each_ms, late_ms > 0), tolerance: 1e-5, first_ns: (each_ms + late_ms) * 1e6, result: emptyResult(item, 'ok', '') };
    const backend = { fingerprint, timer: { method: 'timestamp', quantum_ns: 1 }, reference_works: 1, referenceUs: () => Promise.resolve(success(1)) } as unknown as Backend;
    const scheduler = { nowMs: () => this.now_ms, after: () => () => {} };
    const heat = new Heat({ backend, scheduler, drift: new DriftMonitor(), probe, power: undefined, other_work: new OtherWork(), scatter: undefined, onPhase: () => {}, isHidden: () => false }, () => {});
    assert.equal(await heat.run([contender]), true);
    return contender.result.samples_us;
  }
}

const shown = (samples_us: readonly number[]) => samples_us.map(us => Math.round(us / 100) / 10);

test('given a processor with other work half of the time, when a kernel of 4 ms is sampled, then the samples beside it do not count', async () => {
  const shared = new SharedProcessor(30);
  assert.deepEqual(shown(await shared.samplesUs(4, undefined)), [8, 8, 8]);
  const probed = new SharedProcessor(30);
  assert.deepEqual(shown(await probed.samplesUs(4, probed.probe)), [4, 4, 4]);
});

test('given a calm processor, when a kernel is sampled, then it takes the samples asked for and no more', async () => {
  const calm = new SharedProcessor(60);
  assert.deepEqual(shown(await calm.samplesUs(4, calm.probe)), [4, 4, 4]);
  assert.equal(calm.executions, 3);
});

test('given other work all of the time, when a kernel is sampled, then it ends within half a second with the samples asked for', async () => {
  const busy = new SharedProcessor(0), started_ms = busy.now_ms;
  assert.deepEqual(shown(await busy.samplesUs(4, busy.probe)), [8, 8, 8]);
  assert.ok(busy.now_ms - started_ms < 500, `${busy.now_ms - started_ms} ms`);
});

test('given other work all of the time, when kernel after kernel is sampled, then less and less is waited; when some find calm, then more again', async () => {
  const busy = new SharedProcessor(0), waits_ms: number[] = [];
  for (let i = 0; i < 7; i++) {
    const started_ms = busy.now_ms;
    await busy.samplesUs(4, busy.probe);
    waits_ms.push(busy.now_ms - started_ms);
  }
  assert.ok(waits_ms[0]! > 400 && waits_ms[6]! < 50, waits_ms.map(ms => ms.toFixed(0)).join(' '));
  for (let i = 0; i < 5; i++) busy.probe.learn(true);
  const started_ms = busy.now_ms;
  await busy.samplesUs(4, busy.probe);
  assert.ok(busy.now_ms - started_ms > 400);
});

test('given a kernel that only other work makes 1.6 times as slow as the best, when it is sampled, then the race is not lost by that', async () => {
  const shared = new SharedProcessor(30);
  assert.deepEqual(shown(await shared.samplesUs(4, shared.probe, 5000)), [4, 4, 4]);
  assert.deepEqual(shown(await new SharedProcessor(30).samplesUs(4, undefined, 5000)), [8]);
});

test('given a driver that compiles in the first execution, when a kernel as fast as the best is sampled, then the race is not lost by that', async () => {
  const calm = new SharedProcessor(60);
  assert.deepEqual(shown(await calm.samplesUs(4, calm.probe, 4000, 250)), [4, 4, 4]);
});

test('given a driver that compiles in the first execution, when a kernel is hopeless without that, too, then one more execution is its only sample', async () => {
  const calm = new SharedProcessor(60);
  assert.deepEqual(shown(await calm.samplesUs(40, calm.probe, 4000, 250)), [40]);
  assert.equal(calm.executions, 1);
});
