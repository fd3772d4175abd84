import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchUs } from './launch_cost.ts';

// A device where a run costs 3 ms and a launch 24 µs, on a clock of steps of 100 µs; some runs have other work beside them.
function timed(launch_us: number): (launches: number) => Promise<number> {
  let run = 0;
  return async launches => Math.round((3000 + launches * launch_us + (run++ % 3 === 1 ? 900 : 0)) / 100) * 100_000;
}

test('given runs that cost something once and other work beside them, when a launch is asked for, then it is the slope, in steps', async () => {
  assert.equal(await launchUs(timed(24)), 22);
  assert.equal(await launchUs(timed(20)), 22);
  assert.equal(await launchUs(timed(3)), 3.2);
});

test('given launches of 2 ms, when one is asked for, then the device is not kept from its work for seconds', async () => {
  let runs = 0;
  assert.equal(await launchUs(async launches => (runs++, launches * 2e6)), 2200);
  assert.equal(runs, 5);
});

test('given a clock that tells no difference, or runs that take the first time longer, when a launch is asked for, then it is unknown, or what it is later', async () => {
  assert.equal(await launchUs(async () => 1e6), undefined);
  let first = 1e9;
  assert.equal(await launchUs(async launches => {
    const ns = launches * 5000 + first;
    first = 0;
    return ns;
  }), 4.6);
});
