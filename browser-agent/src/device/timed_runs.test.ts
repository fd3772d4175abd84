import assert from 'node:assert/strict';
import test from 'node:test';
import { success } from '../core/outcome.ts';
import { timedRuns, whollyWritten, type Run, type RunnableModel } from './timed_runs.ts';

const poison_bits = 0x7fdeaded;
const runOf = (word: number): Run => ({ outputs: new Uint32Array([1, word]).buffer, run_ms: 2, kernel_ms: 1 });

function model({ word = 5, has_device_clock = true } = {}): RunnableModel & { calls: string[] } {
  const calls: string[] = [], note = (call: string) => { calls.push(call); return success(runOf(word)); };
  return {
    calls, has_device_clock,
    first: async () => whollyWritten(note('first'), poison_bits),
    settle: async () => note('settle'),
    once: async () => note('once'),
  };
}

test('a model is run once for its outputs, settles, and is timed as often as asked', async () => {
  // Given a model with a device clock and one without, when each is timed twice, then the kernels' times are told of the first alone.
  for (const has_device_clock of [true, false]) {
    const timed = model({ has_device_clock });
    const done = await timedRuns(timed, 2, 7);
    assert.ok(done.ok);
    assert.deepEqual(timed.calls, ['first', 'settle', 'once', 'once']);
    assert.deepEqual(done.value.run_ms, [2, 2]);
    assert.deepEqual(done.value.kernel_ms, has_device_clock ? [1, 1] : []);
    assert.equal(done.value.create_ms, 7);
  }
});

test('a model that is not to be timed does not settle', async () => {
  const once = model();
  assert.ok((await timedRuns(once, 0, 0)).ok);
  assert.deepEqual(once.calls, ['first']);
});

test('an output that still holds poison was never written', async () => {
  // Given a model that leaves one of two elements as it was, when it is run, then that is told and nothing is timed.
  const poisoned = model({ word: poison_bits });
  const done = await timedRuns(poisoned, 3, 0);
  assert.ok(!done.ok);
  assert.equal(done.outcome, 'not_written');
  assert.deepEqual(poisoned.calls, ['first']);
});
