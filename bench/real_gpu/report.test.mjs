import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../hone.mjs';
import { ReportKeeper } from './keeper.mjs';
import { comparisonOf } from './comparison.mjs';
import { faultsOf } from './schema.mjs';
import { barOf, gpuName, markdown, refusalOf, section } from './report.mjs';

const gpu = { vendor: 'maker', architecture: 'arch-9', device: '', description: 'maker', software: false };
const product = { name: 'matmul_4096', kind: 'operator', cache: 'hot', tasks: 1, trials: 64, flops: 2 * 4096 ** 3, bytes: 3 * 4 * 4096 ** 2, us: 20000, seed_us: 30000, naive_us: null, run_us: null,
  max_error: 4e-7, gflops: 6871.9, gb_s: 10.07, least_us: 16000, bound_by: 'arithmetic', share: 0.8 };
const report = { version: 1, began_unix_ms: 0, ended: 'complete', quick: false, seconds_per_task: 30, place: { browser: 'chromium', version: '156.0', window: true }, gpu, device: { launch_us: 6.8, driver: '550.1' },
  clock: { method: 'timestamp', quantum_ns: 32, over_wall: 1.01 }, peers: { rounds: 5 },
  limits: { f32: { gflops: 8590, samples_gflops: [8590], form: 'fma', chains: 8 }, copy: { gb_s: 412, samples_gb_s: [412], bytes: 2 ** 27 } },
  cases: [{ ...product, peers: { ms: { hone: 20, ort_webgpu: 31 }, failed: { tfjs_webgpu: 'wrong result' }, over_fastest: 1.55 } }, { name: 'encoder', failed: 'device | lost' }] };

test('given a report, when it is written, then it names the GPU, its driver and limits, each case with its share, those that failed, and the others', () => {
  const text = markdown(report);
  assert.match(text, /^# maker, arch-9\n/);
  assert.match(text, /Chromium 156\.0 with a window, driver 550\.1/);
  assert.match(text, /\| multiply-adds, f32 \| 8590 GFLOP\/s \| fma; 8 chains/);
  assert.match(text, /\| multiply-adds, f16 \| – \|/);
  assert.match(text, /\| copy beyond the caches \| 412 GB\/s \| 128 MiB/);
  assert.match(text, /\| one launch more in a pass \| 6\.8 µs \|/);
  assert.match(text, /\| clock: timestamp \| steps of 32 ns \| 1\.010 of/);
  assert.match(text, /\| matmul_4096 \| 20000 \| 6872 \| 10\.1 \| arithmetic \| 80 % \| 30000 \| – \| – \| 64 \| 4\.0e-7 \|/);
  assert.match(text, /\| encoder \| failed: device \\\| lost \|/);
  assert.match(text, /\| matmul_4096 \| 20\.0 \| 31\.0 \| fails \| 1\.55× \|\n\n- matmul_4096, tfjs_webgpu: wrong result/);
  assert.doesNotMatch(text, /software|quick/);
});

test('given every row of a table, when it is written, then it has as many cells as its head', () => {
  const tables = markdown(report).split('\n\n').map(part => part.split('\n').filter(row => row.startsWith('|'))).filter(rows => rows.length > 0);
  assert.equal(tables.length, 3);
  for (const [head, ...rows] of tables) for (const row of rows) assert.equal(row.match(/(?<!\\)\|/g).length, head.match(/\|/g).length, row);
});

test('given a product of 4096³ on a real GPU, when its share is under three quarters, then the report says that it is not met; of software it says nothing', () => {
  const slow = { ...report, cases: [{ ...product, share: 0.6 }] };
  assert.deepEqual([barOf(report).met, barOf(slow).met], [true, false]);
  assert.match(markdown({ ...slow, peers: { skipped: 'no browser' } }), /≥ 75 %; found: 60 %, not met\.\n\nNot compared with others: no browser\./);
  assert.equal(barOf({ ...slow, gpu: { ...gpu, software: true } }), undefined);
  assert.equal(barOf({ ...report, cases: [] }), undefined);
});

test('given reports of software, quick ones and such without limits, when a document is to take them, then it is told why not; a real one passes', () => {
  assert.equal(refusalOf(report), undefined);
  assert.match(refusalOf({ ...report, gpu: { ...gpu, software: true } }), /software/);
  assert.match(refusalOf({ ...report, quick: true }), /--quick/);
  assert.match(refusalOf({ ...report, gpu: null, limits: { failed: 'no adapter' } }), /no adapter/);
});

test('given reports, when they become a section, then each has a heading of its own; without any it says so', () => {
  assert.match(section([report, report]), /^## Real GPUs\n[^]*\n### maker, arch-9\n[^]*\n### maker, arch-9\n/);
  assert.match(section([]), /No report of a GPU has come in so far\./);
});

test('given a GPU that says the same twice or nothing, when it is named, then each word stands once', () => {
  assert.equal(gpuName(gpu), 'maker, arch-9');
  assert.equal(gpuName({ vendor: '', architecture: '', device: '', description: '' }), 'a GPU without a name');
});

test('given a report that comes to be, when it ends, then the files hold all that was known by then and nothing that came later', () => {
  const folder = temporaryFolder(), { place, quick, seconds_per_task, peers } = report, keeper = new ReportKeeper(folder, { place, quick, seconds_per_task, peers });
  const onDisk = () => JSON.parse(fs.readFileSync(path.join(folder, 'real_gpu.json'), 'utf8'));
  assert.equal(onDisk().ended, 'running');
  keeper.addCase(product);
  assert.equal(onDisk().cases.length, 1);
  keeper.addPeers('matmul_4096', { ms: {}, failed: {}, over_fastest: null });
  keeper.note({ ended: 'interrupted' });
  keeper.addCase({ name: 'encoder', failed: 'the service has gone' });
  assert.deepEqual(onDisk(), { ...onDisk(), ended: 'interrupted', cases: [{ ...product, peers: { ms: {}, failed: {}, over_fastest: null } }] });
  assert.match(fs.readFileSync(path.join(folder, 'real_gpu.md'), 'utf8'), /It was interrupted\./);
});

test('given what peers took, when it is compared, then a model\'s name is hone\'s, the reference is no rival, and one that did not start is told', () => {
  const found = comparisonOf({ ort_wasm: { ms: 1, samples_ms: [1] }, hone_model: { ms: 4, samples_ms: [4, 4, 4] }, ort_webgpu: { ms: 8, samples_ms: [8, 8, 8] } });
  assert.deepEqual([found.ms, found.over_fastest], [{ hone: 4, ort_webgpu: 8 }, 2]);
  assert.match(found.failed.tfjs_webgpu, /does not start/);
});

test('given a file that is a report, when it is held against the schema, then it fits; one of another version, one that lacks something, and none at all are told', () => {
  const file = path.join(temporaryFolder(), 'report.json'), faults = value => (fs.writeFileSync(file, JSON.stringify(value)), faultsOf(file)), sound = { ...report, device: null };
  assert.equal(faults(sound), '');
  assert.match(faults({ ...sound, version: 2 }), /1 was expected/);
  assert.match(faults({ ...sound, cases: [{ ...product, us: undefined }] }), /valid under/);
  assert.notEqual(faultsOf(`${file}.missing`), '');
});
