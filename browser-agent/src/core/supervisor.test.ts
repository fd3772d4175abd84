import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeScheduler, settle } from '../../test/fake_scheduler.ts';
import { batch, fingerprint, policy } from '../../test/samples.ts';
import type { FromDevice, ToDevice } from './device_link.ts';
import { emptyResult, type Result, type WorkItem } from './result.ts';
import { success, type Attempt } from './outcome.ts';
import { DeviceSupervisor, prepare_ms_max } from './supervisor.ts';

const config = { group_max: 4, grace_ms: 2000, open_ms: 5000, slowdown_max: 3, choice: { target: 'best', clock: 'best', threads_max: 0, without: [] } as const };
const spec = { task: 't', buffers: [], expected: [], tolerance: 1e-5 };

class Bench {
  readonly scheduler = new FakeScheduler();
  readonly workers: { sent: ToDevice[]; say: (message: FromDevice) => void; crash: (why: string) => void; ended: boolean }[] = [];
  readonly results: Result[] = [];
  readonly batches: number[] = [];
  readonly conditions: string[] = [];
  readonly supervisor = new DeviceSupervisor((say, crash) => {
    const worker = { sent: [] as ToDevice[], say, crash, ended: false };
    this.workers.push(worker);
    return { post: message => worker.sent.push(message), terminate: () => { worker.ended = true; } };
  }, this.scheduler, {
    onCondition: condition => this.conditions.push(condition),
    onResult: result => this.results.push(result),
    onBatchDone: done => this.batches.push(done),
    onTiming: () => {},
  }, config, () => 0);

  get worker(): Bench['workers'][number] {
    const last = this.workers.at(-1);
    assert.ok(last);
    return last;
  }

  // The items of the last `run`.
  get running(): WorkItem[] {
    const last = this.worker.sent.filter(message => message.kind === 'run').at(-1);
    return last?.kind === 'run' ? last.items : [];
  }

  opened(reference_us = 1000, target = 'webgpu'): void {
    this.worker.say({ kind: 'opened', fingerprint: { ...fingerprint, target }, timer: { method: 'timestamp', quantum_ns: 1 }, reference_us, note: '' });
  }

  async ready(): Promise<void> {
    this.supervisor.start();
    this.opened();
    void this.supervisor.prepare(spec);
    this.worker.say({ kind: 'prepared', task: 't' });
    await settle();
  }

  finish(item: WorkItem): void {
    this.worker.say({ kind: 'result', result: emptyResult(item, 'ok', '') });
  }

  phase(items: readonly WorkItem[], cap_ms = 4000): void {
    this.worker.say({ kind: 'phase', cap_ms, trials: items.map(({ candidate }) => ({ trial: candidate.trial, attempt: candidate.attempt })) });
  }

  trials(): number[] {
    return this.running.map(item => item.candidate.trial);
  }
}

test('given two batches, when measured, then they run in groups in order and each batch is done when its last result is there', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2, 3]));
  bench.supervisor.measure(batch(2, [4, 5]));
  assert.deepEqual(bench.trials(), [1, 2, 3]);
  for (const item of bench.running) bench.finish(item);
  assert.deepEqual(bench.batches, [1]);
  bench.worker.say({ kind: 'done' });
  assert.deepEqual(bench.trials(), [4, 5]);
  for (const item of bench.running) bench.finish(item);
  assert.deepEqual(bench.batches, [1, 2]);
});

test('given a kernel that does not end, when its cap is over, then it alone is a timeout, the worker is replaced, its tasks are prepared again and the others run', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2, 3]));
  const [first, second] = bench.running;
  assert.ok(first && second);
  bench.phase(bench.running, 120_000);
  bench.phase([first]);
  bench.finish(first);
  bench.phase([second]);
  await bench.scheduler.advance(4001);
  assert.deepEqual(bench.results.map(r => [r.trial, r.outcome]), [[1, 'ok'], [2, 'timeout']]);
  assert.equal(bench.workers[0]?.ended, false);
  await bench.scheduler.advance(2500);
  assert.equal(bench.workers[0]?.ended, true);
  assert.equal(bench.workers.length, 2);
  bench.opened();
  assert.deepEqual(bench.worker.sent.filter(m => m.kind === 'prepare').length, 1);
  assert.deepEqual(bench.trials(), [3]);
  assert.deepEqual(bench.conditions, ['ready', 'recovering', 'ready']);
});

test('given a kernel that ends only just after its cap, when it does, then its late result is dropped and the worker is kept', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1]));
  const [only] = bench.running;
  assert.ok(only);
  bench.phase([only]);
  await bench.scheduler.advance(4500);
  bench.finish(only);
  bench.worker.say({ kind: 'done' });
  await bench.scheduler.advance(10_000);
  assert.deepEqual(bench.results.map(r => r.outcome), ['timeout']);
  assert.equal(bench.workers.length, 1);
});

test('given a batch that is measured in turns behind another, when the group would hold half of it, then it waits for the next group and goes whole', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1]));
  bench.supervisor.measure(batch(2, [2, 3]));
  bench.supervisor.measure(batch(3, [4, 5, 6, 7, 8, 9], { policy: { ...policy, in_turns: true } }));
  const groups = [1, 2, 3].map(() => {
    const trials = bench.trials();
    for (const item of bench.running) bench.finish(item);
    bench.worker.say({ kind: 'done' });
    return trials;
  });
  assert.deepEqual(groups, [[1], [2, 3], [4, 5, 6, 7, 8, 9]]);
});

test('given pipelines that are not created in time, when the worker is replaced, then the group runs again one by one', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2]));
  bench.phase(bench.running, 1000);
  await bench.scheduler.advance(1500);
  bench.opened();
  assert.deepEqual(bench.results, []);
  assert.deepEqual(bench.trials(), [1]);
});

test('given a new worker that gets no device, when open_ms is over, then the device is stuck; when one opens later, then it is ready again', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  assert.equal(bench.supervisor.alive, true);
  await bench.scheduler.advance(300);
  assert.equal(bench.workers.length, 2);
  await bench.scheduler.advance(5000);
  assert.equal(bench.supervisor.condition, 'stuck');
  assert.equal(bench.supervisor.alive, false);
  await bench.scheduler.advance(1000);
  bench.opened();
  assert.equal(bench.supervisor.condition, 'ready');
});

test('given a device that opens slowly, when each of its steps ends in time, then it is waited for; when one does not, then the device is stuck there', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  await bench.scheduler.advance(300);
  for (const next of ['trying its clock', 'measuring its launches', 'measuring its caches']) {
    await bench.scheduler.advance(4000);
    bench.worker.say({ kind: 'opening', next });
  }
  assert.equal(bench.workers.length, 2);
  await bench.scheduler.advance(5000);
  assert.equal(bench.supervisor.condition, 'stuck');
  assert.match(bench.supervisor.message, /it did not end measuring its caches/);
});

test('given a new device that is still slowed down by the old work, when opened, then it is not used', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  await bench.scheduler.advance(300);
  bench.opened(10_000);
  assert.equal(bench.supervisor.condition, 'recovering');
  await bench.scheduler.advance(1000);
  bench.opened(1100);
  assert.equal(bench.supervisor.condition, 'ready');
});

test('given a lost device, when one candidate lost it, then the rest of the group is tried anew', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2]));
  const [first] = bench.running;
  assert.ok(first);
  bench.worker.say({ kind: 'result', result: emptyResult(first, 'device_lost', 'gone') });
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  await bench.scheduler.advance(300);
  bench.opened();
  assert.deepEqual(bench.trials(), [2]);
});

test('given a device that is lost before its candidate has a result, when it comes back, then that one alone is device_lost and the others run', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2, 3]));
  const [first, second] = bench.running;
  assert.ok(first && second);
  bench.phase(bench.running);
  bench.phase([first]);
  bench.finish(first);
  bench.phase([second]);
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  assert.deepEqual(bench.results.map(r => [r.trial, r.outcome, r.message]), [[1, 'ok', ''], [2, 'device_lost', 'gone']]);
  await bench.scheduler.advance(300);
  bench.opened();
  assert.deepEqual(bench.trials(), [3]);
});

test('given a worker that ends while a group is created, when it comes back, then they run one by one, and who ends it again is device_lost', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2]));
  bench.phase(bench.running);
  bench.worker.crash('boom');
  assert.equal(bench.results.length, 0);
  await bench.scheduler.advance(300);
  bench.opened();
  assert.deepEqual(bench.trials(), [1]);
  bench.phase(bench.running);
  bench.worker.crash('boom');
  assert.deepEqual(bench.results.map(r => [r.trial, r.outcome]), [[1, 'device_lost']]);
  await bench.scheduler.advance(600);
  bench.opened();
  assert.deepEqual(bench.trials(), [2]);
});

test('given a task that loses the device whenever it is prepared, when it did twice, then it is given up; one that did once is prepared', async () => {
  const bench = new Bench();
  await bench.ready();
  const answer = bench.supervisor.prepare({ ...spec, task: 'heavy' });
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  await bench.scheduler.advance(300);
  bench.opened();
  bench.worker.say({ kind: 'prepared', task: 't' });
  assert.equal(bench.worker.sent.filter(m => m.kind === 'prepare').length, 2);
  bench.worker.say({ kind: 'lost', reason: 'gone again' });
  assert.deepEqual(await answer, { ok: false, outcome: 'device_lost', message: 'gone again' });
  await bench.scheduler.advance(600);
  bench.opened();
  assert.deepEqual(bench.worker.sent.filter(m => m.kind === 'prepare').map(m => m.kind === 'prepare' && m.spec.task), ['t']);
});

test('given a worker that never answers for a task, when its time is over, then another worker is asked; when that one does not either, then the task is given up; one in time, or of a session that is over, costs no worker', async () => {
  const bench = new Bench();
  await bench.ready();
  await bench.scheduler.advance(prepare_ms_max * 2);
  assert.equal(bench.workers.length, 1, 'nothing is owed');
  let outcome: Attempt<void> | undefined;
  void bench.supervisor.prepare({ ...spec, task: 'u' }).then(attempt => { outcome = attempt; });
  await bench.scheduler.advance(prepare_ms_max - 1);
  assert.equal(bench.workers.length, 1);
  await bench.scheduler.advance(1000);
  assert.equal(bench.workers.length, 2);
  bench.opened();
  bench.worker.say({ kind: 'prepared', task: 't' });
  await bench.scheduler.advance(prepare_ms_max + 1000);
  assert.equal(outcome?.ok === false && outcome.outcome, 'device_lost');
  bench.opened();
  bench.worker.say({ kind: 'prepared', task: 't' });
  void bench.supervisor.prepare({ ...spec, task: 'v' });
  bench.supervisor.release();
  await bench.scheduler.advance(prepare_ms_max * 2);
  assert.equal(bench.workers.length, 3);
  assert.equal(bench.supervisor.condition, 'ready');
});

test('given a device that comes back with less memory, when a task finds none, then its candidates are out_of_memory and others run', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1]));
  bench.supervisor.measure({ ...batch(2, [2]), task: 'small' });
  bench.worker.say({ kind: 'lost', reason: 'gone' });
  await bench.scheduler.advance(300);
  bench.worker.say({ kind: 'prepared', task: 't', error: { outcome: 'out_of_memory', message: 'too big' } });
  assert.deepEqual(bench.results.map(r => [r.trial, r.outcome]), [[1, 'out_of_memory']]);
  bench.opened();
  assert.deepEqual(bench.trials(), [2]);
});

test('given a batch in the queue, when cancelled, then what has not begun is cancelled and what runs is not', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2, 3, 4, 5, 6]));
  bench.supervisor.cancel(1);
  assert.deepEqual(bench.results.map(r => [r.trial, r.outcome]), [[5, 'cancelled'], [6, 'cancelled']]);
  for (const item of bench.running) bench.finish(item);
  assert.deepEqual(bench.batches, [1]);
});

test('given a session that ends while candidates run, when their results come, then nobody hears of them and the next session\'s work waits its turn', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2]));
  const old = bench.running;
  bench.supervisor.release();
  bench.supervisor.measure(batch(7, [8]));
  assert.deepEqual(bench.trials(), [1, 2]);
  for (const item of old) bench.finish(item);
  bench.worker.say({ kind: 'done' });
  assert.deepEqual(bench.results, []);
  assert.deepEqual(bench.trials(), [8]);
});

test('given a worker whose script fails, when it crashes, then another one is started', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.worker.crash('boom');
  await bench.scheduler.advance(300);
  assert.equal(bench.workers.length, 2);
});

test('given a worker of WebAssembly that is ended in the midst of a kernel, when another one is started, then the old one had time to end', async () => {
  const bench = new Bench();
  bench.supervisor.start();
  bench.opened(1000, 'wasm');
  void bench.supervisor.prepare(spec);
  bench.worker.say({ kind: 'prepared', task: 't' });
  bench.supervisor.measure(batch(1, [1]));
  bench.phase(bench.running);
  await bench.scheduler.advance(4000 + config.grace_ms);
  assert.equal(bench.workers[0]?.ended, true);
  await bench.scheduler.advance(2000);
  assert.equal(bench.workers.length, 1);
  await bench.scheduler.advance(1000);
  assert.equal(bench.workers.length, 2);
  const open = bench.worker.sent.find(message => message.kind === 'open');
  assert.equal(open?.choice.target, 'wasm', 'the same kind of device');
});

test('given a browser without WebGPU, when probed, then the reason and the remedy are told and nothing is tried again', async () => {
  const bench = new Bench();
  bench.supervisor.start();
  bench.worker.say({ kind: 'unavailable', reason: 'No WebGPU.', remedy: 'Do this.' });
  await bench.scheduler.advance(60_000);
  assert.equal(bench.supervisor.condition, 'unavailable');
  assert.equal(bench.supervisor.message, 'No WebGPU. Do this.');
  assert.equal(bench.workers.length, 1);
});

test('given a task that cannot be prepared, when asked for, then the error comes back', async () => {
  const bench = new Bench();
  await bench.ready();
  const answer: Promise<Attempt<void>> = bench.supervisor.prepare({ ...spec, task: 'u' });
  bench.worker.say({ kind: 'prepared', task: 'u', error: { outcome: 'out_of_memory', message: 'too big' } });
  assert.deepEqual(await answer, { ok: false, outcome: 'out_of_memory', message: 'too big' });
  assert.notDeepEqual(await answer, success(undefined));
});

const plan = { buffers: [], textures: [], kernels: [], launches: [], loops: [], constants: [], inputs: [], outputs: [], repeats: 0, timed_ms_max: 1000, time_launches: false, cap_ms: 3000 };
const execution = success({ outputs: new ArrayBuffer(0), create_ms: 1, first_ms: 1, run_ms: [], kernel_ms: [] });

function executing(bench: Bench): number {
  const last = bench.worker.sent.at(-1);
  assert.equal(last?.kind, 'execute');
  return last.id;
}

test('given a busy device, when a model is to be run, then it waits until the candidates are done, and a second model is refused', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1]));
  const done = bench.supervisor.execute(plan);
  assert.equal(bench.worker.sent.at(-1)?.kind, 'run');
  const refused = await bench.supervisor.execute(plan);
  assert.equal(!refused.ok && refused.outcome, 'busy');
  for (const item of bench.running) bench.finish(item);
  bench.worker.say({ kind: 'done' });
  bench.worker.say({ kind: 'executed', id: executing(bench), execution });
  assert.deepEqual(await done, execution);
});

test('given a running model, when the device is lost, then the model fails with device_lost and the next one runs on the new device', async () => {
  const bench = new Bench();
  await bench.ready();
  const lost = bench.supervisor.execute(plan), id = executing(bench);
  bench.worker.say({ kind: 'lost', reason: 'the GPU process ended' });
  assert.deepEqual(await lost, { ok: false, outcome: 'device_lost', message: 'the GPU process ended' });
  const next = bench.supervisor.execute(plan);
  await bench.scheduler.advance(1000);
  bench.opened();
  assert.notEqual(executing(bench), id);
  bench.worker.say({ kind: 'executed', id: executing(bench), execution });
  assert.deepEqual(await next, execution);
});

test('given a plan that wants a fresh device, when the device did something before, then a new worker runs it and nobody is told of another device; when it did nothing, then it runs at once', async () => {
  const bench = new Bench();
  await bench.ready();
  const told = bench.conditions.length, fresh = { ...plan, fresh: true };
  const first = bench.supervisor.execute(fresh);
  bench.worker.say({ kind: 'executed', id: executing(bench), execution });
  assert.deepEqual(await first, execution);
  assert.equal(bench.workers.length, 1);
  const second = bench.supervisor.execute(fresh);
  assert.equal(bench.workers.length, 2);
  assert.equal(bench.workers[0]?.ended, true);
  const prepared = bench.supervisor.prepare(spec);
  bench.opened();
  bench.worker.say({ kind: 'prepared', task: spec.task });
  assert.equal((await prepared).ok, true);
  const id = bench.worker.sent.flatMap(message => (message.kind === 'execute' ? [message.id] : [])).at(-1) ?? 0;
  bench.worker.say({ kind: 'executed', id, execution });
  assert.deepEqual(await second, execution);
  assert.equal(bench.conditions.length, told);
});

test('given a fresh device that does not open, when the time for it is over, then it counts as lost, and the plan runs on the next one', async () => {
  const bench = new Bench();
  await bench.ready();
  void bench.supervisor.execute(plan);
  bench.worker.say({ kind: 'executed', id: executing(bench), execution });
  const done = bench.supervisor.execute({ ...plan, fresh: true });
  bench.supervisor.setVisible(true);
  await bench.scheduler.advance(config.open_ms);
  assert.notEqual(bench.supervisor.condition, 'ready');
  await bench.scheduler.advance(5000);
  bench.opened();
  bench.worker.say({ kind: 'executed', id: executing(bench), execution });
  assert.deepEqual(await done, execution);
});

test('given a model that does not end, when its cap is over, then it fails with timeout and the worker is replaced', async () => {
  const bench = new Bench();
  await bench.ready();
  const done = bench.supervisor.execute(plan);
  await bench.scheduler.advance(3001);
  const result = await done;
  assert.equal(!result.ok && result.outcome, 'timeout');
  assert.equal(bench.workers[0]?.ended, true);
});

test('given a kernel that runs on when its session ends, when the grace is over, then the worker is replaced and the device says why; what comes for it meanwhile runs on the new one', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1, 2]));
  bench.phase(bench.running.slice(0, 1), 30_000);
  bench.supervisor.release();
  bench.phase(bench.running.slice(1), 30_000);
  await bench.scheduler.advance(config.grace_ms - 1);
  assert.equal(bench.supervisor.condition, 'ready');
  await bench.scheduler.advance(1);
  assert.equal(bench.supervisor.condition, 'recovering');
  assert.equal(bench.supervisor.message, 'a kernel of an earlier job still runs on it');
  void bench.supervisor.prepare(spec);
  bench.supervisor.measure(batch(2, [3]));
  await bench.scheduler.advance(1000);
  bench.opened();
  assert.deepEqual(bench.trials(), [3]);
  assert.deepEqual(bench.results, []);
});

test('given a session that ends while its candidates run, when they end within the grace, then the worker is kept', async () => {
  const bench = new Bench();
  await bench.ready();
  bench.supervisor.measure(batch(1, [1]));
  bench.phase(bench.running, 30_000);
  bench.supervisor.release();
  bench.worker.say({ kind: 'done' });
  await bench.scheduler.advance(60_000);
  assert.equal(bench.workers.length, 1);
  assert.equal(bench.supervisor.condition, 'ready');
});

test('given a model that runs on when its session ends, when another is to be run, then that one waits for its end, and what ended late is nobody\'s failure', async () => {
  const bench = new Bench();
  await bench.ready();
  void bench.supervisor.execute(plan);
  const left = executing(bench);
  bench.supervisor.release();
  void bench.supervisor.execute(plan);
  assert.equal(bench.worker.sent.at(-1)?.kind, 'release');
  bench.worker.say({ kind: 'executed', id: left, execution });
  assert.notEqual(executing(bench), left);
  await bench.scheduler.advance(config.grace_ms);
  assert.equal(bench.workers.length, 1);
});
