import assert from 'node:assert/strict';
import test from 'node:test';
import { contestsOf } from './package_contests.mjs';
import { barsOf, markdown, storedMarkdown, summaryOf } from './package_report.mjs';

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

const alike = { adapter: 'google swiftshader', used: { plan: 'portable' } };

test('the same plan in Dawn has a ratio and a bar', () => {
  // Given a package that takes 11 and 13 ms in Chromium where Dawn takes 10, when reported, then Chromium takes 1.2 times as long, which is not met, and the table says so.
  const host = { webgpu: { ms: 1, share: 0.1 }, dawn: { ms: 1, share: 0.2 } };
  const found = report({ results: { hone_webgpu: { ...ran(12, 11, 13), ...alike }, hone_dawn: { ...ran(10, 10, 10), ...alike } }, measures: { host } });
  const dawn = barOf(found, 'WebGPU in Chromium against Dawn');
  assert.deepEqual([dawn.found, dawn.met], ['1.20×', false]);
  assert.match(markdown({ ...found, version: '1', rounds: 2, threads: 2, link_mbit_s: 100 }, contests), /\| resnet18 \| 12.0 \| 10.0 \| 1.20× \| 90.0 % \| 80.0 % \|/);
});

test('another plan in Dawn is no comparison', () => {
  // Given a package of which Dawn runs another plan, when reported, then there is no bar, and both plans are named.
  const found = report({ results: { hone_webgpu: { ...ran(12), ...alike }, hone_dawn: { ...ran(10), ...alike, used: { plan: 'tuned' } } } });
  assert.equal(barOf(found, 'WebGPU in Chromium against Dawn'), undefined);
  assert.match(markdown({ ...found, version: '1', rounds: 2, threads: 2, link_mbit_s: 100 }, contests), /Chromium runs portable on google swiftshader, Dawn tuned on google swiftshader/);
});

test('weights as f16 may err more, and their sizes are held against f32', () => {
  // Given a package of 2 MiB of f16 that are 4 MiB as f32, and an error of 1e-3, when reported, then half is said, and the error meets the bar of f16 but not that of f32.
  const works = [summaryOf({ name: 'encoder', plans, gpu_launches, weight_bytes: 2 << 20, weight_bytes_f32: 4 << 20 }, { contests, results: { hone_webgpu: { ...ran(1), error: 1e-3 } } })];
  const of = weights => storedMarkdown({ works, weights, browser: 'chromium', version: '1' }, contests);
  assert.match(of('f16'), /\| encoder \| 2.00 \| 4.00 \| 0.50 \| 1.0e-3 \| – \|/);
  assert.match(of('f16'), /1.0e-3, wanted ≤ 2.0e-2\.\n/);
  assert.match(of('f32'), /wanted ≤ 1.0e-4, not met/);
});
