import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Race } from './race.ts';

// Runs that take these times, and how many were asked for.
function runsOf(times: readonly number[], valid = true): { run: () => Promise<{ ms: number; valid: boolean }>; count: number } {
  const runs = { count: 0, run: async () => ({ ms: times[runs.count++ % times.length]!, valid }) };
  return runs;
}

test('given backends of several speeds, when raced, then the medians are told, and one that is faster beats what runs', async () => {
  const race = Race.ofBackends(3);
  await race.measure('webgpu', runsOf([3, 9, 3.1, 3.2, 3]).run);
  assert.equal(race.lastBeats('webgpu'), false, 'control: itself');
  await race.measure('wasm', runsOf([0.4]).run);
  assert.equal(race.lastBeats('webgpu'), true);
  assert.equal(String(race), 'measured: webgpu 3.1 ms, wasm 0.4 ms');
});

test('given one that is faster by a hair, when raced, then what runs stays', async () => {
  const race = Race.ofBackends(3);
  await race.measure('webgpu', runsOf([1]).run);
  await race.measure('wasm', runsOf([0.99]).run);
  assert.equal(race.lastBeats('webgpu'), false);
});

test('given one that is clearly slower, when raced, then it is stopped', async () => {
  const race = Race.ofBackends(3), slow = runsOf([30]), even = runsOf([10.5]);
  await race.measure('webgpu', runsOf([10]).run);
  await race.measure('webgl', slow.run);
  await race.measure('wasm', even.run);
  assert.equal(slow.count, 2);
  assert.equal(even.count, 5, 'control: near');
});

test('given runs that take long, or are all disturbed, when raced, then they end, and the others have their time', async () => {
  const race = Race.ofBackends(3), disturbed = runsOf([1], false), late = runsOf([1]), long = runsOf([500]);
  assert.equal(await race.measure('webgpu', disturbed.run), false);
  assert.ok(disturbed.count > 5 && disturbed.count < 100);
  assert.equal(await race.measure('wasm', long.run), true);
  assert.equal(long.count, 2);
  assert.equal(await race.measure('webgl', late.run), true);
  assert.equal(late.count, 5);
});
