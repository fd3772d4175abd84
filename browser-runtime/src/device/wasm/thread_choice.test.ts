import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseThreads } from './thread_choice.ts';

// A launch of `work_ns` on a machine where starting the other threads takes `fork_ns`; its clock steps by 5 µs.
function choose(work_ns: number, fork_ns: number, all = 4): { threads: number; runs: number } {
  let runs = 0;
  const threads = chooseThreads((threads, count) => {
    runs += count;
    return Math.floor(count * (threads === 1 ? work_ns : work_ns / threads + fork_ns) / 5000) * 5000;
  }, { all, quantum_ns: 5000 });
  return { threads, runs };
}

test('given a launch shorter than waking the threads takes, when tried, then it runs alone; a longer one runs on all', () => {
  assert.equal(choose(400, 5000).threads, 1);
  assert.equal(choose(4000, 5000).threads, 1);
  assert.equal(choose(40_000, 5000).threads, 4);
  assert.equal(choose(40_000, 100_000).threads, 1);
});

test('given a launch of many milliseconds, when tried, then one run on all threads is enough', () => {
  assert.deepEqual(choose(50e6, 100_000), { threads: 4, runs: 1 });
});

test('given one thread, when asked, then nothing is tried', () => {
  assert.deepEqual(choose(1000, 5000, 1), { threads: 1, runs: 0 });
});
