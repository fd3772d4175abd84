import assert from 'node:assert/strict';
import { test } from 'node:test';
import { success } from './outcome.ts';
import { clockRatio, clocksAgree, credibleNs, isCredible, readings_max, saidNs, type Reading } from './reading.ts';

const ms = (device: number, wall: number): Reading => ({ device_ns: device * 1e6, wall_ns: wall * 1e6 });

function sequence(...readings: Reading[]): { read(): Promise<Reading>; taken(): number } {
  let taken = 0;
  return { read: () => Promise.resolve(readings[Math.min(taken++, readings.length - 1)]!), taken: () => taken };
}

test('given readings, when they are held against the wall clock, then those below nothing or beyond what has passed are not believed', () => {
  assert.ok(isCredible(ms(3, 3.4)) && isCredible(ms(0, 1)) && isCredible(ms(3.2, 3)));
  assert.ok(!isCredible(ms(-0.001, 3)) && !isCredible(ms(3000, 3)) && !isCredible(ms(NaN, 3)));
  assert.deepEqual([saidNs(ms(2, 3)), saidNs(ms(-2, 3)), saidNs(ms(2e9, 3))], [2e6, 3e6, 3e6]);
});

test('given a clock that says nonsense for a while, when a time is read, then it is taken again; when it goes on, then the outcome is unstable and says so', async () => {
  const some = sequence(ms(-5, 3), ms(1e9, 3), ms(2, 3));
  assert.deepEqual(await credibleNs(some.read), success(2e6));
  const never = sequence(ms(-5, 3)), failed = await credibleNs(never.read);
  assert.equal(never.taken(), readings_max);
  assert.ok(!failed.ok && failed.outcome === 'unstable');
  assert.match(failed.ok ? '' : failed.message, /-5\.00 ms of work that took 3\.00 ms/);
});

test('given a device\'s clock, when it is tried, then one that counts in its unit is believed, whatever waiting costs, and one that counts in another or nothing is not', async () => {
  const tried = (unit: number, waits_ms = [1]) => {
    let run = 0;
    return clocksAgree(works => Promise.resolve(ms(works * unit, works + waits_ms[run++ % waits_ms.length]!)));
  };
  assert.equal(await tried(1), true);
  assert.equal(await tried(1, [9, 1, 1, 2]), true);
  assert.equal(await tried(1, [1, 40, 30, 1, 20, 20]), true);
  for (const unit of [1000, 0.001, 0, -1]) assert.equal(await tried(unit), false);
});

test('given a device\'s clock, when it is held against the wall\'s, then the ratio is told, also where they do not agree; a wall clock that stands still tells none', async () => {
  const tried = (unit: number, wall = 1): Promise<number> => clockRatio(works => Promise.resolve(ms(works * unit, works * wall + 1)));
  assert.deepEqual([await tried(1), await tried(1.5), await tried(1000)], [1, 1.5, 1000]);
  assert.ok(Number.isNaN(await tried(1, 0)));
});
