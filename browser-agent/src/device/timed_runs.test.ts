import assert from 'node:assert/strict';
import test from 'node:test';
import { success } from '../core/outcome.ts';
import { timedRuns, whollyWritten, type Run, type RunnableModel, type Timing } from './timed_runs.ts';

const poison_bits = 0x7fdeaded;
const runOf = (word: number): Run => ({ outputs: new Uint32Array([1, word]).buffer, run_ms: 2, kernel_ms: 1 });

function model({ word = 5, has_device_clock = true, launch_ns = 1000, step_ns = 1 } = {}): RunnableModel & { calls: string[] } {
  const calls: string[] = [], note = (call: string) => { calls.push(call); return success(runOf(word)); };
  return {
    calls, has_device_clock, step_ns,
    first: async () => whollyWritten(note('first'), poison_bits),
    settle: async () => note('settle'),
    once: async () => note('once'),
    timeLaunch: async (launch, times) => {
      calls.push(`launch ${launch}, ${times} times`);
      return success(Math.round(launch_ns * times / step_ns) * step_ns);
    },
  };
}

function timing(repeats: number, { timed_ms_max = 20_000, ahead = [] as boolean[] } = {}): Timing {
  const launches = ahead.map(ahead => ({ kernel: 0, grid: [1, 1, 1] as [number, number, number], buffers: [], binding_bytes: [], ahead }));
  return { repeats, timed_ms_max, launches, time_launches: launches.length > 0 };
}

test('a model is run once for its outputs, settles, and is timed as often as asked', async () => {
  // Given a model with a device clock and one without, when each is timed twice, then the kernels' times are told of the first alone.
  for (const has_device_clock of [true, false]) {
    const timed = model({ has_device_clock });
    const done = await timedRuns(timed, timing(2), 7);
    assert.ok(done.ok);
    assert.deepEqual(timed.calls, ['first', 'settle', 'once', 'once']);
    assert.deepEqual(done.value.run_ms, [2, 2]);
    assert.deepEqual(done.value.kernel_ms, has_device_clock ? [1, 1] : []);
    assert.equal(done.value.create_ms, 7);
  }
});

test('a model that is not to be timed does not settle', async () => {
  const once = model();
  assert.ok((await timedRuns(once, timing(0), 0)).ok);
  assert.deepEqual(once.calls, ['first']);
});

test('a model whose time is over is still run once', async () => {
  // Given no time for the runs, when a model is to be timed five times, then it has one time.
  const done = await timedRuns(model(), timing(5, { timed_ms_max: 0 }), 0);
  assert.ok(done.ok);
  assert.deepEqual(done.value.run_ms, [2]);
});

test('launches are timed one by one, as often as the clock needs, and those that run ahead are left out', async () => {
  // Given launches of which one runs ahead, when they are timed, then each other is repeated until its time is long; where the device has no
  // clock of its own, nobody asks.
  const timed = model({ launch_ns: 40_000 });
  const done = await timedRuns(timed, timing(1, { ahead: [false, true, false] }), 0);
  assert.ok(done.ok);
  assert.deepEqual(done.value.launch_us, [40, 0, 40]);
  assert.deepEqual(timed.calls.slice(3), ['launch 0, 1 times', 'launch 0, 25 times', 'launch 2, 1 times', 'launch 2, 25 times']);
  const clockless = await timedRuns(model({ has_device_clock: false }), timing(1, { ahead: [false] }), 0);
  assert.ok(clockless.ok);
  assert.equal(clockless.value.launch_us, undefined);
});

test('a launch is timed by no reading of a few steps of the clock', async () => {
  // Given a clock that steps by 65,536 ns, when launches of which one reads 0 and one a step are timed, then they are repeated until it tells.
  for (const launch_ns of [20_000, 50_000]) {
    const done = await timedRuns(model({ launch_ns, step_ns: 65_536 }), timing(1, { ahead: [false] }), 0);
    assert.ok(done.ok);
    assert.ok(Math.abs(done.value.launch_us![0]! * 1000 / launch_ns - 1) < 0.05, `${done.value.launch_us}`);
  }
});

test('an output that still holds poison was never written', async () => {
  // Given a model that leaves one of two elements as it was, when it is run, then that is told and nothing is timed.
  const poisoned = model({ word: poison_bits });
  const done = await timedRuns(poisoned, timing(3), 0);
  assert.ok(!done.ok);
  assert.equal(done.outcome, 'not_written');
  assert.deepEqual(poisoned.calls, ['first']);
});
