import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, success } from '../core/outcome.ts';
import { pairedRuns } from './paired_runs.ts';
import type { OpenModel, Run } from './timed_runs.ts';

const rival = { model: { buffers: [], textures: [], kernels: [], launches: [], loops: [], outputs: [], constants: [], inputs: [] }, sample_ms: 0, kernels_alone: false };

// Writes its name down with each run, whose time is the run's number.
function model(name: string, ran: string[], has_device_clock = false): OpenModel {
  const run = (): Run => ({ outputs: new ArrayBuffer(0), run_ms: ran.push(name), kernel_ms: 1000 });
  return { has_device_clock, first: async () => success(run()), once: async () => success(run()), timeLaunch: async () => success(0), dispose: () => {} };
}

test('given two builds and two coins, when timed, then the first quad is old, new, new, old and the second new, old, old, new; times come by role, each with the reference behind it', async () => {
  const ran: string[] = [];
  let looks = 0;
  const quads = await pairedRuns([model('old', ran), model('new', ran)], { ...rival, rival_first: [false, true] }, async () => success(++looks));
  assert.ok(quads.ok);
  const warm = ran.length - 8;
  assert.deepEqual(ran.slice(warm), ['old', 'new', 'new', 'old', 'new', 'old', 'old', 'new']);
  assert.deepEqual(quads.value.quad_ms.map(ms => ms - warm), [1, 2, 4, 3, 6, 5, 7, 8]);
  assert.deepEqual(quads.value.reference_us, [1, 2, 4, 3, 6, 5, 7, 8]);
  assert.equal(quads.value.by_device_clock, false);
});

test('given kernels alone, when both builds have the device\'s clock, then it tells the times; when one has none, then the wall clock does for both', async () => {
  const alone = { ...rival, rival_first: [false], kernels_alone: true };
  const both = await pairedRuns([model('old', [], true), model('new', [], true)], alone, async () => success(1));
  assert.ok(both.ok && both.value.by_device_clock && both.value.quad_ms.every(ms => ms === 1000));
  const one = await pairedRuns([model('old', [], true), model('new', [])], alone, async () => success(1));
  assert.ok(one.ok && !one.value.by_device_clock && one.value.quad_ms.every(ms => ms < 1000));
});

test('given a reference kernel that fails, when builds are timed, then that is what fails', async () => {
  const failed = await pairedRuns([model('old', []), model('new', [])], { ...rival, rival_first: [true] }, async () => failure('device_lost', 'it went'));
  assert.equal(!failed.ok && failed.outcome, 'device_lost');
});
