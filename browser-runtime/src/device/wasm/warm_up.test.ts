import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WarmUp } from './warm_up.ts';

// Drives a kernel that takes `slow_ns` until it has run for `after_ns`, and `fast_ns` from then on, on a clock of steps of 5 µs.
function drive(slow_ns: number, fast_ns: number, after_ns: number, calls_per_run = 1): { runs: number; slow_runs: number; total_ns: number; run_ns: number } {
  const warm_up = new WarmUp(5000);
  let runs = 0, slow_runs = 0, total_ns = 0;
  while (!warm_up.over) {
    const began = total_ns;
    for (let i = 0, batch = warm_up.batch; i < batch; i++) {
      const slow = total_ns < after_ns;
      runs++;
      slow_runs += slow ? 1 : 0;
      total_ns += slow ? slow_ns : fast_ns;
    }
    warm_up.note(Math.round((total_ns - began) / 5000) * 5000, calls_per_run);
    assert.ok(runs < 1e6, 'it ends');
  }
  return { runs, slow_runs, total_ns, run_ns: warm_up.run_ns };
}

test('given a kernel whose optimised code comes after 15 ms, when warmed up, then 20 ms of the fast code follow', () => {
  const { total_ns, run_ns } = drive(300_000, 30_000, 15e6);
  assert.ok(Math.abs(run_ns - 30_000) < 3000);
  assert.ok(total_ns >= 35e6 && total_ns < 45e6, `${total_ns}`);
});

test('given a kernel that is warm already, when warmed up, then it runs for 20 ms', () => {
  const { total_ns } = drive(30_000, 30_000, 0);
  assert.ok(total_ns >= 20e6 && total_ns < 25e6, `${total_ns}`);
});

test('given a kernel far below the clock\'s step, when warmed up, then whole batches tell its time', () => {
  const { run_ns, total_ns } = drive(1000, 100, 10e6);
  assert.ok(run_ns > 90 && run_ns < 110, `${run_ns}`);
  assert.ok(total_ns >= 20e6);
});

test('given a kernel of 500 ms, when warmed up, then it runs twice, no more', () => {
  assert.equal(drive(600e6, 500e6, 100e6, 16).runs, 2);
});

test('given a kernel of 30 ms in one call, when warmed up, then it is called three times at least', () => {
  assert.ok(drive(30e6, 30e6, 0).runs >= 3);
});
