import assert from 'node:assert/strict';
import test from 'node:test';
import { contestsOf } from './package_contests.mjs';
import { barsOf, markdown, summaryOf } from './package_report.mjs';

const contests = contestsOf(2);
const LEAST = { webgpu: 10, webgl: 3, wasm: 1.5 };
const ran = (...samples_ms) => ({ ms: samples_ms[0], samples_ms, error: 1e-6 });
const plans = [{ backend: 'webgpu', made_for: 'portable', launches: 20, tuned: 0, tasks: 9 }, { backend: 'wasm', made_for: 'portable', launches: 99, tuned: 0, tasks: 9 }];
const start = used => ({ first: used, used, first_result_ms: 150, download_ms: 100, slowest_pipeline_ms: 20, over_floor: 1.5, longest_task_ms: 0 });

const gpu_launches = { webgpu: 20, webgl: 60 };

function report({ name = 'resnet18', results = {}, measures = {}, work = {} }) {
  const works = [summaryOf({ name, plans, gpu_launches, ...work }, { contests, results, measures })], all = { works, browser: 'chromium', backends: ['webgpu', 'wasm'], weights: 'f32', runtime_gzip_bytes: 40000 };
  return { ...all, bars: barsOf(all, contests, LEAST) };
}
const barOf = ({ bars }, text) => bars.find(bar => bar.text.startsWith(text));

test('the faster rival counts, and each bar says whether it is met', () => {
  // Given a package 12 and 15 times faster than two rivals on WebGPU, when reported, then it is 12 times faster, and both bars of WebGPU are met.
  const found = report({ results: { hone_webgpu: ran(10, 10), ort_webgpu: ran(150, 150), tfjs_webgpu: ran(120, 120) } });
  assert.equal(barOf(found, 'WebGPU against').value, 12);
  assert.deepEqual(found.bars.filter(({ text }) => text.startsWith('WebGPU')).map(({ met }) => met), [true, true]);
  assert.equal(barOf(found, 'WebGL'), undefined);
});

test('a model without a ratio is said to be left out', () => {
  // Given two models of which one failed, when reported, then the mean is that of the other, and says so.
  const works = [['resnet18', { hone_webgl: ran(10), tfjs_webgl: ran(20) }], ['encoder', { hone_webgl: { failed: 'device lost' }, tfjs_webgl: ran(20) }]]
    .map(([name, results]) => summaryOf({ name, plans, gpu_launches }, { contests, results }));
  const bars = barsOf({ works, backends: [], weights: 'f32', runtime_gzip_bytes: 1 }, contests, LEAST), mean = barOf({ bars }, 'WebGL against');
  assert.match(mean.text, /1 of 2 left out/);
  assert.deepEqual([mean.value, mean.met], [2, false]);
});

test('host work may be small or a small share', () => {
  // Given 3 ms of host work that are 2 % of a run, and 0.5 ms that are half of one, when reported, then both are met; 3 ms and half of a run are not.
  const met = host => barOf(report({ measures: { host: { webgpu: host } } }), 'host work').met;
  assert.deepEqual([{ ms: 3, share: 0.02 }, { ms: 0.5, share: 0.5 }, { ms: 3, share: 0.5 }].map(met), [true, true, false]);
});

test('memory is held against what it may be', () => {
  // Given a load that holds 12 MB of 10, and a run that holds 8, when reported, then the load counts, and the target is not met; of 12 it is.
  const bar = bound_bytes => barOf(report({ measures: { memory: { webgpu: { load_bytes: 12e6, run_bytes: 8e6, bound_bytes } } } }), 'most memory, webgpu');
  assert.deepEqual([10e6, 12e6].map(bar).map(({ found, target, met }) => [found, target, met]), [['12.0 MB', '≤ 10.0 MB', false], ['12.0 MB', '≤ 12.0 MB', true]]);
});

test('the worst choice of all models is the one that counts', () => {
  // Given a package whose chosen plan takes 1.2 times as long as its fastest, when reported, then the target is not met.
  const found = barOf(report({ measures: { chosen: { backend: 'wasm', plan: 'portable', over_best: 1.2 } } }), 'the chosen plan');
  assert.deepEqual([found.found, found.met], ['1.20×', false]);
});

test('launches have a limit on each kind of GPU', () => {
  // Given 20 launches on WebGPU and 60 on WebGL, when reported, then each is held against the limit.
  const of = backend => barOf(report({}), `launches where one costs 50 µs, ${backend}`);
  assert.deepEqual([of('webgpu').value, of('webgpu').met, of('webgl').value, of('webgl').met], [20, true, 60, false]);
});

test('browsers tell of long tasks alone', () => {
  // Given a start without a long task and one of 210 ms, when reported, then the one is below 50 ms and meets its target, the other does not.
  const said = longest_task_ms => barOf(report({ measures: { starts: { webgl: { ...start({}), longest_task_ms } } } }), 'longest task');
  assert.deepEqual([0, 210].map(said).map(({ found, met }) => [found, met]), [['< 50 ms', true], ['210 ms', false]]);
});

test('what failed is named', () => {
  // Given a start and a peer that failed, when written, then the text names both with their reasons, and no table holds "undefined" or "NaN".
  const found = report({ results: { ort_webgpu: { failed: 'no adapter' }, hone_webgpu: ran(4) }, measures: { starts: { wasm: { failed: 'timed out' } } } });
  const text = markdown({ ...found, version: '1', rounds: 2, threads: 2, link_mbit_s: 100 }, contests);
  assert.match(text, /- resnet18, ort_webgpu: no adapter\n- resnet18, start, wasm: timed out\n/);
  assert.doesNotMatch(text, /undefined|NaN|Infinity/);
});
