import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeScheduler } from '../../test/fake_scheduler.ts';
import { candidate, fingerprint, policy } from '../../test/samples.ts';
import type { Backend, Execution, CheckReport, Kernel, PreparedTask } from '../device/backend.ts';
import { capMs, JobLoop } from './job_loop.ts';
import { failure, success, type Attempt } from './outcome.ts';
import type { Result, WorkItem } from './result.ts';

interface Script {
  build?: Attempt<never>;
  check?: Attempt<Partial<CheckReport>>;
  time?: Attempt<never>;
  recheck?: Attempt<Partial<CheckReport>>;
  each_us?: number;          // one execution
}

// A device that does what the script of a trial says. `log` tells the order of things.
class FakeDevice implements Backend {
  readonly fingerprint = fingerprint;
  readonly timer = { method: 'timestamp', quantum_ns: 1 };
  readonly lost = new Promise<string>(() => {});
  readonly log: string[] = [];
  references_us: number[] = [];
  constructor(readonly scripts: Record<number, Script>) {}

  task: PreparedTask = {
    tolerance: 1e-5,
    build: async ({ trial }) => {
      this.log.push(`build ${trial}`);
      const script = this.scripts[trial] ?? {};
      return script.build ?? success(this.#kernel(trial, script));
    },
    check: async () => failure('unsupported', 'there is one set of inputs'),
    dispose: () => {},
  };

  #kernel(trial: number, { check = success({}), recheck = success({}), time, each_us = 1000 }: Script): Kernel {
    const report = (found: Attempt<Partial<CheckReport>>): Attempt<CheckReport> => (found.ok ? success({ max_error: 0, unwritten: 0, finding: '', first_ns: each_us * 1000, ...found.value }) : found);
    return {
      create_ms: 5,
      compiles_late: true,
      check: async () => {
        this.log.push(`check ${trial}`);
        return report(check);
      },
      recheck: async repeats => {
        this.log.push(`recheck ${trial} ${repeats}`);
        return report(recheck);
      },
      rotating: async () => failure('out_of_memory', 'there is no memory for copies'),
      time: async repeats => time ?? (this.log.push(`time ${trial}`), success(repeats * each_us * 1000)),
      dispose: again => { this.log.push(`dispose ${trial}`, ...(again === true ? [`keep ${trial}`] : [])); },
    };
  }

  prepare(): Promise<Attempt<PreparedTask>> { return Promise.resolve(success(this.task)); }
  execute(): Promise<Attempt<Execution>> { return Promise.resolve(failure('unsupported', 'it runs no models')); }
  // As ever until something is timed: that brings its power up.
  readonly reference_works = 1;
  referenceUs(): Promise<Attempt<number>> { return Promise.resolve(success((this.#was_timed && this.references_us.shift()) || 1000)); }
  get #was_timed(): boolean { return this.log.some(line => line.startsWith('time ')); }
  idle(): Promise<void> { return Promise.resolve(); }
  dispose(): void {}
}

const item = (trial: number, extra: Parameters<typeof candidate>[1] = {}): WorkItem => ({ batch: 1, fence: 9, task: 't', policy, candidate: candidate(trial, extra), modules: [] });

async function run(device: FakeDevice, items: WorkItem[], hidden = false): Promise<{ results: Result[]; log: string[] }> {
  const results: Result[] = [];
  const loop = new JobLoop(device, new FakeScheduler(), {
    onPhase: () => {}, onResult: (_, result) => results.push(result), onTiming: active => device.log.push(`timing ${active}`), isHidden: () => hidden,
  });
  await loop.run(items, () => device.task);
  return { results, log: device.log };
}

test('given right kernels, when run as a group, then all are created before the first is timed, and each gets its samples', async () => {
  const { results, log } = await run(new FakeDevice({ 1: { each_us: 1000 }, 2: { each_us: 4000 } }), [item(1), item(2)]);
  assert.deepEqual(log.slice(0, 4), ['build 1', 'build 2', 'timing true', 'check 1']);
  assert.equal(log.at(-1), 'timing false');
  assert.deepEqual(results.map(r => [r.trial, r.outcome, r.latency_us_median, r.samples_us.length, r.fence]), [[1, 'ok', 1000, 3, 9], [2, 'ok', 4000, 3, 9]]);
  assert.equal(results[0]?.repeats, 3);
});

test('given a wrong, an unwritten, a rejected and a right kernel, when run, then only the right one is ever timed', async () => {
  const device = new FakeDevice({
    1: { check: success({ max_error: 0.5, finding: 'worst at element 3 of c' }) },
    2: { check: success({ unwritten: 7 }) },
    3: { build: failure('compile_error', '1:2 no') },
    4: { check: failure('validation_error', 'bad binding') },
    5: {},
  });
  const { results, log } = await run(device, [1, 2, 3, 4, 5].map(trial => item(trial)));
  assert.deepEqual(results.map(r => r.outcome), ['wrong_output', 'not_written', 'compile_error', 'validation_error', 'ok']);
  assert.ok(results.slice(0, 4).every(r => r.samples_us.length === 0 && r.latency_us_median === 0));
  assert.equal(results[0]?.max_error, 0.5);
  assert.match(results[0]?.message ?? '', /element 3 of c/);
  assert.ok(log.filter(line => line.startsWith('time')).every(line => line === 'time 5'));
  assert.equal(log.filter(line => line.startsWith('dispose')).length, 4);
});

test('given a device without memory for copies, when kernels are to be measured cold or as in a model, then they are measured hot, and the results say so', async () => {
  for (const cache of ['cold', 'model'] as const) {
    const { results: [result] } = await run(new FakeDevice({ 1: { each_us: 1000 } }), [{ ...item(1), policy: { ...policy, cache, model_bytes: 1 << 20, both_caches: true } }]);
    assert.deepEqual([result?.outcome, result?.latency_us_median, result?.cache ?? 'hot'], ['ok', 1000, 'hot']);
  }
});

test('given an output that is no finite number, when run, then the error is a number that JSON knows', async () => {
  const { results } = await run(new FakeDevice({ 1: { check: success({ max_error: Infinity }) } }), [item(1)]);
  assert.equal(results[0]?.outcome, 'wrong_output');
  assert.ok(Number.isFinite(results[0]?.max_error));
});

test('given kernels that are right, wrong, and behind the best, when run, then what was made of the right one alone is worth keeping', async () => {
  const device = new FakeDevice({ 1: {}, 2: { check: success({ max_error: 0.5 }) }, 3: { each_us: 2000 }, 4: { recheck: success({ unwritten: 7 }) } });
  const { log } = await run(device, [1, 2, 3, 4].map(trial => item(trial, { best_so_far_us: 1000 })));
  assert.deepEqual(log.filter(line => line.startsWith('keep')), ['keep 1']);
});

const recheckLog = (log: string[]): string[] => log.filter(line => line.startsWith('recheck'));

test('given kernels that are wrong, unwritten or failing behind their timed runs, when run, then none of them has a time, and the message says when it was right', async () => {
  const { results } = await run(new FakeDevice({
    1: { recheck: success({ max_error: 0.5, finding: 'worst at element 3 of c' }) },
    2: { recheck: success({ unwritten: 7 }) },
    3: { recheck: failure('wrong_output', 'the kernel changed the input a') },
    4: { recheck: failure('validation_error', 'bad binding') },
    5: { check: success({ max_error: 2e-6 }), recheck: success({ max_error: 1e-6 }) },
  }), [1, 2, 3, 4, 5].map(trial => item(trial)));
  assert.deepEqual(results.map(r => r.outcome), ['wrong_output', 'not_written', 'wrong_output', 'validation_error', 'ok']);
  assert.ok(results.slice(0, 4).every(r => r.samples_us.length === 0 && r.latency_us_median === 0));
  assert.match(results[0]?.message ?? '', /right before the timed runs and is wrong after them: .*element 3 of c/);
  assert.deepEqual(results.map(r => r.message.startsWith('the output was right before')), [true, true, true, false, false]);
  assert.deepEqual([results[0]?.max_error, results[4]?.max_error], [0.5, 2e-6]);
});

test('given a kernel of few and one of many executions a sample, when run, then each is compared again once, behind its last sample, as executions follow each other there', async () => {
  const { log } = await run(new FakeDevice({ 1: { each_us: 2000 }, 2: { each_us: 100 } }), [item(1), item(2)]);
  assert.deepEqual(recheckLog(log), ['recheck 1 1', 'recheck 2 2']);
  assert.ok(log.indexOf('recheck 1 1') > log.lastIndexOf('time 1'));
});

test('given candidates that lose the race, or whose samples do not count, when run, then their outputs are not compared again', async () => {
  assert.deepEqual(recheckLog((await run(new FakeDevice({ 1: { each_us: 2000 }, 2: { each_us: 10_000 } }), [1, 2].map(trial => item(trial, { best_so_far_us: 1000 })))).log), []);
  assert.deepEqual(recheckLog((await run(new FakeDevice({}), [item(1)], true)).log), []);
});

test('given finalists, when one loses the device behind its samples, then it is told and the others are left to the caller', async () => {
  const { results } = await run(new FakeDevice({ 1: { recheck: failure('device_lost', 'gone') } }), [finalist(1), finalist(2)]);
  assert.deepEqual(results.map(r => [r.trial, r.outcome]), [[1, 'device_lost']]);
});

test('given a candidate 2 times behind the best, when run, then it stops after one sample and is ok', async () => {
  const { results } = await run(new FakeDevice({ 1: { each_us: 2000 } }), [item(1, { best_so_far_us: 1000 })]);
  assert.deepEqual(results.map(r => [r.outcome, r.samples_us]), [['ok', [2000]]]);
});

const timesOf = (log: string[]): string => log.filter(line => line.startsWith('time ')).map(line => line.slice(5)).join(' ');

test('given a candidate 10 times behind the best, when run, then one execution behind the checked one, in which drivers compile, is its only sample', async () => {
  const { results, log } = await run(new FakeDevice({ 1: { each_us: 10_000 } }), [item(1, { best_so_far_us: 1000 })]);
  assert.deepEqual(results.map(r => [r.outcome, r.samples_us, r.repeats]), [['ok', [10_000], 1]]);
  assert.equal(timesOf(log), '1');
});

const finalist = (trial: number): WorkItem => ({ ...item(trial), batch: 2, policy: { ...policy, in_turns: true } });

test('given finalists whose kernels are long enough for one sample, when measured in turns, then each is warmed up and gives one sample after the other, in reversed order every second time', async () => {
  const device = new FakeDevice({ 1: { each_us: 3000 }, 2: { each_us: 4000 }, 3: { each_us: 5000 } });
  const { results, log } = await run(device, [finalist(1), finalist(2), finalist(3), item(4)]);
  assert.equal(timesOf(log).split(' 4')[0], '1 2 3 1 2 3 3 2 1 1 2 3');
  assert.deepEqual(results.map(r => [r.trial, r.outcome, r.latency_us_median, r.samples_us.length]), [[1, 'ok', 3000, 3], [2, 'ok', 4000, 3], [3, 'ok', 5000, 3], [4, 'ok', 1000, 3]]);
  assert.ok(log.indexOf('dispose 1') > log.lastIndexOf('time 3'));
});

test('given finalists of which one is wrong and one fails while timed, when measured in turns, then the others have all their samples', async () => {
  const device = new FakeDevice({ 1: { check: success({ max_error: 1 }) }, 2: { each_us: 3000 }, 3: { each_us: 3000, time: failure('out_of_memory', 'no') } });
  const { results, log } = await run(device, [finalist(1), finalist(2), finalist(3)]);
  assert.deepEqual(results.map(r => [r.trial, r.outcome, r.samples_us.length]), [[1, 'wrong_output', 0], [3, 'out_of_memory', 0], [2, 'ok', 3]]);
  assert.equal(timesOf(log), '2 2 2 2');
});

test('given a reference kernel that drifts while finalists are measured, when it is as usual again, then all of them were measured again', async () => {
  const device = deviceWithReferences(2000, 2000, 2000, 1000);
  const { results, log } = await run(device, [...six_items.slice(0, 5), finalist(7), finalist(8)]);
  assert.deepEqual(results.map(r => r.outcome), Array<string>(7).fill('ok'));
  assert.deepEqual([7, 8].map(trial => log.filter(line => line === `time ${trial}`).length), [8, 8]);   // once, to climb, and twice three samples
});

test('given finalists, when one loses the device while timed, then it alone is told', async () => {
  const device = new FakeDevice({ 1: { each_us: 3000 }, 2: { each_us: 3000, time: failure('device_lost', 'gone') } });
  const { results } = await run(device, [finalist(1), finalist(2), finalist(3)]);
  assert.deepEqual(results.map(r => [r.trial, r.outcome]), [[2, 'device_lost']]);
});

const six_items = [1, 2, 3, 4, 5, 6].map(trial => item(trial));

// Its reference kernel is read amid and behind the samples: then as ever five times, and once more amid the sixth's.
function deviceWithReferences(...after_usual_us: number[]): FakeDevice {
  const device = new FakeDevice({});
  device.references_us = [...Array<number>(11).fill(1000), ...after_usual_us];
  return device;
}

test('given one slow run of the reference kernel behind the samples, when two more are as usual, then the samples are taken once more, and no third time', async () => {
  const { results, log } = await run(deviceWithReferences(2000, 1000, 1010, 1000, 2000, 1000, 1010), six_items);
  assert.equal(results[5]?.outcome, 'ok');
  assert.equal(results[5]?.reference_us, 1005);
  assert.equal(log.filter(line => line === 'time 6').length, log.filter(line => line === 'time 5').length + 3);
});

test('given other work that ends while the reference kernel is looked at amid the samples, when run, then one more sample must agree with the first', async () => {
  const device = deviceWithReferences();
  device.references_us = [...Array<number>(10).fill(1000), 2000, 1000, 1000];
  const { results, log } = await run(device, six_items);
  assert.equal(results[5]?.samples_us.length, policy.samples);
  assert.equal(log.filter(line => line === 'time 6').length, log.filter(line => line === 'time 5').length + 1);
});

test('given a look at the reference kernel that other work makes slow before it is known what is usual, when run, then the faster look is told', async () => {
  const device = deviceWithReferences();
  device.references_us = [1000, 1600];
  const { results } = await run(device, six_items.slice(0, 1));
  assert.equal(results[0]?.reference_us, 1000);
});

test('given a burst of other work amid the samples that is over behind them, when run, then they are taken again', async () => {
  const device = deviceWithReferences();
  device.references_us = [...Array<number>(10).fill(1000), 2000, 2000, 2000];
  const { results, log } = await run(device, six_items);
  assert.equal(results[5]?.outcome, 'ok');
  assert.equal(log.filter(line => line === 'time 6').length, log.filter(line => line === 'time 5').length + 3);
});

test('given a reference kernel that drifts once, when run, then the samples are taken again; when it drifts on, then the outcome is unstable with the samples kept', async () => {
  const once = await run(deviceWithReferences(2000, 2000, 2000, 1000), six_items);
  assert.deepEqual(once.results.map(r => r.outcome), ['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
  assert.equal(once.results[5]?.reference_us, 1000);
  const thrice = await run(deviceWithReferences(...[2000, 3000, 3000, 2500, 2500].flatMap(us => [us, us, us])), six_items);
  assert.equal(thrice.results[5]?.outcome, 'unstable');
  assert.equal(thrice.results[5]?.samples_us.length, 3);
});

test('given a hidden tab, when run, then no sample counts', async () => {
  const { results } = await run(new FakeDevice({}), [item(1)], true);
  assert.equal(results[0]?.outcome, 'unstable');
  assert.match(results[0]?.message ?? '', /hidden/);
});

test('given a kernel that loses the device, when run in a group, then it is told and the others are left to the caller', async () => {
  const { results } = await run(new FakeDevice({ 1: { check: failure('device_lost', 'gone') } }), [item(1), item(2)]);
  assert.deepEqual(results.map(r => [r.trial, r.outcome]), [[1, 'device_lost']]);
});

test('given a best time or a prediction, when the cap is set, then it is a hundredfold of it, within 2 s and the policy\'s', () => {
  assert.equal(capMs(policy, candidate(1)), 4000);
  assert.equal(capMs(policy, candidate(1, { best_so_far_us: 1000 })), 2000);
  assert.equal(capMs(policy, candidate(1, { best_so_far_us: 30_000 })), 3000);
  assert.equal(capMs(policy, candidate(1, { predicted_us: 1e6 })), 4000);
});
