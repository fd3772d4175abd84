import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadChoice } from './thread_choice.ts';

interface Machine {
  work_ns: readonly number[];       // of each launch, on one thread
  fork_ns: number;                  // that starting the other three threads takes
  disturbed_ns?: (run: number) => number;
}

// Launches on four threads of a machine whose clock steps by 5 µs.
function choose({ work_ns, fork_ns, disturbed_ns = () => 0 }: Machine, may_share = work_ns.map(() => true)): { alone: boolean[]; calls: number; total_ns: number } {
  let calls = 0, now_ns = 0;
  const runNs = (alone: readonly boolean[], times: number): number[] => {
    const call = calls++, spent = work_ns.map(() => 0);
    for (let time = 0; time < times; time++) {
      for (const [i, work] of work_ns.entries()) {
        const began = now_ns;
        now_ns += (alone[i] === true || !may_share[i] ? work : work / 4 + fork_ns) + disturbed_ns(call) / times;
        spent[i]! += (Math.floor(now_ns / 5000) - Math.floor(began / 5000)) * 5000;
      }
    }
    return spent;
  };
  return { alone: ThreadChoice.settle(runNs, { may_share, quantum_ns: 5000 }).alone, calls, total_ns: now_ns };
}

test('given launches of which some are shorter than waking the threads takes, when tried, then those run alone', () => {
  assert.deepEqual(choose({ work_ns: [400, 4000, 40_000, 400_000], fork_ns: 5000 }).alone, [true, true, false, false]);
  assert.deepEqual(choose({ work_ns: [400, 4000, 40_000, 400_000], fork_ns: 100_000 }).alone, [true, true, true, false]);
});

test('given long launches, when tried, then one run on all threads is enough', () => {
  const { alone, calls } = choose({ work_ns: [50e6, 20e6], fork_ns: 100_000 });
  assert.deepEqual([alone, calls], [[false, false], 1]);
});

test('given a launch without work for several threads, when asked, then nothing is tried', () => {
  const { alone, calls } = choose({ work_ns: [1000], fork_ns: 5000 }, [false]);
  assert.deepEqual([alone, calls], [[false], 1]);
});

test('given a launch far below the step of the clock, when tried, then batches of it tell', () => {
  assert.deepEqual(choose({ work_ns: [900], fork_ns: 100 }).alone, [false]);
  assert.deepEqual(choose({ work_ns: [900], fork_ns: 1000 }).alone, [true]);
});

test('given one short launch, when tried, then it takes milliseconds, not the time of a whole plan', () => {
  const { total_ns } = choose({ work_ns: [40_000], fork_ns: 5000 });
  assert.ok(total_ns < 5e6, `${total_ns}`);
});

test('given other work in every second round, when tried, then it decides nothing', () => {
  const disturbed_ns = (call: number): number => (call % 4 < 2 ? 0 : 2e6);
  assert.deepEqual(choose({ work_ns: [4000, 400_000], fork_ns: 10_000, disturbed_ns }).alone, [true, false]);
});

test('given a plan whose run takes long, when tried, then each way runs twice behind the first run, no more', () => {
  const { calls } = choose({ work_ns: Array.from({ length: 40 }, () => 7e5), fork_ns: 10_000 });
  assert.equal(calls, 5);
});

// Three launches on two threads, two of 150 µs, the last of 2 µs, and 5 µs to share one; while it is busy the second thread does nothing.
function settled(busy: () => boolean): ThreadChoice {
  return ThreadChoice.settle((alone, times) => tried(alone, busy()).map(ns => ns * times), { may_share: [true, true, true], quantum_ns: 1000 });
}

function tried(alone: readonly boolean[], busy: boolean): number[] {
  return [150_000, 150_000, 2000].map((work, i) => (alone[i] === true ? work : (busy ? work : work / 2) + 5000));
}

test('given a second thread that was busy while it was settled, when it is so no more, then a few runs later what gains by it is shared', () => {
  let busy = true, runs = 0;
  const choice = settled(() => busy);
  assert.deepEqual(choice.alone, [true, true, true]);
  busy = false;
  for (; runs < 64 && choice.alone[0]; runs++) {
    const trial = choice.trial();
    if (trial !== undefined) choice.note(trial, tried(trial, busy));
  }
  assert.deepEqual(choice.alone, [false, false, true]);
  assert.ok(runs <= 16, `${runs} runs`);
});

test('given what is settled, when it runs on and on, then trials are rare, and stop where nothing is in doubt', () => {
  const choice = settled(() => false);
  let trials = 0;
  for (let run = 0; run < 1000; run++) {
    const trial = choice.trial();
    if (trial === undefined) continue;
    trials++;
    choice.note(trial, tried(trial, false));
  }
  assert.ok(trials > 0 && trials < 60, `${trials}`);
  const clear = ThreadChoice.settle((alone, times) => [alone[0] === true ? 1.5e5 : 0.7e5].map(ns => ns * times), { may_share: [true], quantum_ns: 1000 });
  assert.ok(Array.from({ length: 200 }, () => clear.trial()).every(trial => trial === undefined));
});
