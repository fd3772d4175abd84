// WebGL 2 kernels on the real page in a real headless Chromium on software.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { expectEachState, expectOwnCopies } from './cache_states.ts';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { GlProduct } from './gl_product.ts';
import { candidate, policy } from './samples.ts';
import { wholeAt } from './square_product.ts';
import { expectWrongLater } from './wrong_later.ts';
import { toHalves } from '../../browser-runtime/src/device/halves.ts';
import type { Binding, Candidate, CandidateResult, Execute, Launch, Texture } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const task = 'ab'.repeat(16);
const n = 64, bytes = n * n * 4;
const product = new GlProduct(n);

let service: FakeService;
let chromium: Chromium;
let next_batch = 1;
let next_trial = 1;

before(async () => {
  service = await FakeService.start(dist);
  chromium = await Chromium.launch();
  await chromium.open(service.pageOf('webgl'));
  await service.hello();
  await service.openSession();
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 7, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  service.close();
});

function kernels(...launches: Launch[]): Candidate[] {
  return launches.map(launch => candidate(next_trial++, { launches: [launch] }));
}

function measure(candidates: readonly Candidate[]): Promise<CandidateResult[]> {
  return service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy, candidates });
}

function told(results: readonly CandidateResult[]): string {
  return results.map(r => `${r.outcome}: ${r.message}`).join('\n');
}

test('given the target webgl, when the page says hello, then it brings WebGL 2 with its limits and a clock with its step, and shows so', async () => {
  const { devices: [device] } = await service.hello();
  assert.ok(device);
  assert.equal(device.local_id, 'webgl-0');
  assert.equal(device.target, 'webgl');
  assert.equal(device.fingerprint.backend, 'vulkan');
  assert.ok((device.fingerprint.limits['MAX_TEXTURE_SIZE'] ?? 0) >= 2048);
  assert.ok((device.fingerprint.limits['MAX_DRAW_BUFFERS'] ?? 0) >= 4);
  assert.ok(device.fingerprint.features.includes('EXT_color_buffer_float'));
  assert.equal(device.timer.method, 'timestamp');
  assert.ok(device.timer.quantum_ns > 0 && device.timer.quantum_ns <= 1e5, `${device.timer.quantum_ns}`);
  await chromium.waitForText(/WebGL 2 kernels/);
});

test('given right kernels of one, four and eight layers, and one that reads an array, when measured, then all are right and have times', async () => {
  const results = await measure(kernels(product.glLaunch(), product.glLaunch({ layers: 4 }), product.glLaunch({ layers: 8 }), product.glLaunch({ a_layers: 4 })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'ok', 'ok', 'ok'], told(results));
  for (const r of results) {
    assert.ok(r.latency_us_median > 0 && r.samples_us.length > 0 && r.max_error < 1e-5 && r.reference_us > 0 && r.create_ms > 0);
    assert.equal(r.method, 'timestamp');
  }
  assert.ok(results.some(r => r.repeats > 1), 'kernels of some 100 µs run several times in a sample');   // each, unless other work held up its first execution
});

test('given a kernel that was measured, when it is measured again, twice at once, then it is right each time, and one of the two is not created again', async () => {
  const launch = product.glLaunch({ layers: 4 }), [first] = await measure(kernels(launch)), again = await measure(kernels(launch, launch));
  assert.deepEqual([first!, ...again].map(r => r.outcome), ['ok', 'ok', 'ok'], told(again));
  assert.deepEqual(again.map(r => r.create_ms === 0).sort(), [false, true]);
});

test('given bad kernels among right ones, when measured, then each has its own outcome and words, and the right ones stay right', async () => {
  const right = product.glLaunch(), bound = (position: number, texture: Texture): Launch => ({ ...right, bindings: right.bindings.map(b => (b.position === position ? { ...b, texture } : b)) });
  const { texture: _, ...bare } = right.bindings[0]!;
  const results = await measure(kernels(
    right,
    product.glLaunch({ value: '1.5 * sum' }),
    product.glLaunch({ guard: 'if (p.x == 3) { discard; }' }),
    product.glLaunch({ head: 'nonsense' }),
    { ...right, code: right.code.replace('layout(location = 0) out vec4 c0;', 'in vec4 v; layout(location = 0) out vec4 c0;').replace('return sum;', 'return sum + v;') },
    bound(0, { width: 4, height: 4, layers: 1, format: 'rgba32f' }),
    bound(0, { width: 1 << 20, height: 1, layers: 1, format: 'rgba32f' }),
    bound(0, { ...product.texture(), format: 'rgba32i' }),
    bound(1, { ...product.texture(), format: 'rgb8' }),
    { ...right, grid: [n / 4, n / 2, 1] },
    { ...right, bindings: [bare, ...right.bindings.slice(1)] },
    { ...right, bindings: right.bindings.slice(0, 2) },
    { ...right, bindings: right.bindings.map(b => (b.position === 2 ? { ...b, texture: { width: 16, height: 2, layers: 32, format: 'rgba32f' } } : b)), grid: [16, 2, 1] },
    right,
  ));
  const outcomes = ['ok', 'wrong_output', 'not_written', 'compile_error', ...Array.from({ length: 9 }, () => 'validation_error'), 'ok'];
  assert.deepEqual(results.map(r => r.outcome), outcomes, told(results));
  assert.match(results[3]?.message ?? '', /nonsense/);
  assert.match(results[4]?.message ?? '', /does not link/);
  for (const r of results.filter(({ outcome }) => outcome !== 'ok')) assert.notEqual(r.message, '');
});

test('given a candidate that wants its output and an input in other layouts, when measured, then it is compared in them', async () => {
  const launches = [product.glLaunch({ layers: 4, by_remainder: true, a_by_columns: true })];
  const output = { position: 2, dims: product.remainderDims(4), bytes }, input = { position: 0, dims: product.columnDims(), bytes };
  const results = await measure([[output, input], [output], [input], [{ ...output, position: 9 }]].map(layouts => candidate(next_trial++, { launches, layouts })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'wrong_output', 'validation_error'], told(results));
});

test('given a candidate that wants a constant as halves, when measured, then it is right but for their rounding, and nothing else may be so', async () => {
  const loose = 'ef'.repeat(16), expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 41, task: loose, buffers: product.buffers(), expected, tolerance: 4e-3 })).error, undefined);
  const halves = { position: 1, dims: [], bytes: bytes / 2, dtype: 'f16' }, launches = [product.glLaunch({ b_halves: true })];
  const all = [[halves], [], [{ ...halves, dtype: 'f64' }], [halves, { ...halves, position: 2, bytes }]].map(layouts => candidate(next_trial++, { launches, layouts }));
  const results = await service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task: loose, policy, candidates: all });
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'validation_error', 'unsupported', 'unsupported'], told(results));
  const error = results[0]?.max_error ?? 0;
  assert.ok(error > 1e-5 && error < 4e-3, `${error}`);
});

test('given whole numbers in an array of textures, and a scratch texture between two launches, when measured, then both run in order', async () => {
  const common = { dtype: 'i32', shape: [64], dims: [], pad: 'any' as const, bytes: 256, seed: 5n, low: -(2 ** 31), high: 2 ** 31 - 1 };
  const buffers = [{ name: 'x', role: 'input' as const, ...common }, { name: 'y', role: 'output' as const, ...common }];
  const array: Texture = { width: 2, height: 4, layers: 2, format: 'rgba32i' }, flat: Texture = { ...array, width: 16, height: 1, layers: 1 }, square: Texture = { ...flat, width: 4, height: 4 };
  const map = (from: [Binding['kind'], Texture], to: [Binding['kind'], Texture], line: string): Launch => ({
    code: `#version 300 es
precision highp int; precision highp isampler2D; precision highp isampler2DArray;
uniform ${from[1].layers > 1 ? 'isampler2DArray' : 'isampler2D'} b0;
layout(location = 0) out ivec4 o;
void main() { int at = int(gl_FragCoord.y) * ${to[1].width} + int(gl_FragCoord.x); ${line} }`,
    module_bytes: 0, scratch_bytes: 0, grid: [to[1].width, to[1].height, 1], threads: [1, 1, 1],
    bindings: [
      { kind: from[0], position: 0, writes: false, bytes: 256, texture: from[1] },
      { kind: to[0], position: to[0] === 'arg' ? 1 : 0, writes: true, bytes: 256, texture: to[1] },
    ],
  });
  const thrice = map(['arg', array], ['temp', flat], 'o = 3 * texelFetch(b0, ivec3(at % 2, at / 2 % 4, at / 8), 0);');
  const more = map(['temp', flat], ['arg', square], 'o = texelFetch(b0, ivec2(at, 0), 0) + 100;'), less = { ...more, code: more.code.replace('100', '99') };
  const reference = Int32Array.from({ length: 64 }, (_, i) => Math.imul(3, wholeAt(-(2 ** 31), 2 ** 31 - 1, 5n, i)) + 100), whole = 'cd'.repeat(16);
  const expected = service.expected(reference);
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 40, task: whole, buffers, expected, tolerance: 0 })).error, undefined);
  const candidates = [[thrice, more], [thrice, less], [more]].map(launches => candidate(next_trial++, { temps: [256], launches }));
  const results = await service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task: whole, policy, candidates });
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'wrong_output'], told(results));
});

test('given policies of each state of the caches, when measured, then results say in which one they were taken, and what the other one gives', async () => {
  await expectEachState(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: kernels(product.glLaunch({ layers: 4 })) }));
});

test('given candidates whose textures of one argument differ, when measured on copies, then each finds its own', async () => {
  const loose = 'cd'.repeat(16), expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 42, task: loose, buffers: product.buffers(), expected, tolerance: 4e-3 })).error, undefined);
  await expectOwnCopies(product.variants(), (all, how) => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task: loose, policy: how, candidates: all.map(one => candidate(next_trial++, one)) }));
});

test('given a kernel whose scratch texture tells it that it ran before, when it is wrong from then on, then it has no time', async () => {
  await expectWrongLater(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: [candidate(next_trial++, { temps: [16], launches: product.rightOnce() })] }));
});

function plan(id: number, more: Partial<Execute> = {}, code = product.glLaunch().code): Execute {
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const { grid } = product.glLaunch(), binding_bytes = [bytes, bytes, bytes];
  return {
    kind: 'execute', id, buffers: [bytes, bytes, bytes, bytes], textures: Array.from({ length: 4 }, () => product.texture()),
    kernels: [{ ...service.addBlob(Buffer.from(code)), writes: [false, false, true] }],
    launches: [{ kernel: 0, grid, buffers: [0, 1, 2], binding_bytes }, { kernel: 0, grid, buffers: [2, 1, 3], binding_bytes }],
    constants: [{ buffer: 1, ...service.addBlob(Buffer.from(b.buffer)) }], inputs: [{ buffer: 0, ...service.addBlob(Buffer.from(a.buffer)) }],
    outputs: [{ buffer: 3, bytes }, { buffer: 2, bytes }], repeats: 0, cap_ms: 20_000, ...more,
  };
}

test('given a plan of two products, when executed, then both outputs come back right, with the times of runs and draws', async () => {
  const { executed, outputs } = await service.execute(plan(50, { repeats: 5 }));
  assert.equal(executed.error, undefined, executed.error?.message);
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const c = product.times(a, b), expected = [...product.times(c, b), ...c];
  assert.equal(outputs.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-2, `element ${i}`);
  assert.equal(executed.run_ms.length, 5);
  assert.equal(executed.kernel_ms.length, 5);
  for (const [i, ms] of executed.run_ms.entries()) assert.ok(ms > 0 && (executed.kernel_ms[i] ?? Infinity) <= ms + 1);
});

test('given a plan whose constant is of halves, when executed, then it is uploaded in half the bytes, and the outputs are right', async () => {
  const b = Float32Array.from({ length: n * n }, (_, i) => Math.round(64 * Math.cos(i)) / 64), a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i));
  const textures = Array.from({ length: 4 }, (_, i) => ({ ...product.texture(), format: i === 1 ? 'rgba16f' : 'rgba32f' }));
  const halves = toHalves(new Uint8Array(b.buffer));
  assert.equal(halves.byteLength, bytes / 2);
  const { executed, outputs } = await service.execute(plan(80, { buffers: [bytes, bytes / 2, bytes, bytes], textures, constants: [{ buffer: 1, ...service.addBlob(Buffer.from(halves)) }] }));
  assert.equal(executed.error, undefined, executed.error?.message);
  const c = product.times(a, b);
  for (const [i, value] of c.entries()) assert.ok(Math.abs((outputs[n * n + i] ?? NaN) - value) < 1e-3, `element ${i}`);
});

test('given bad plans, when executed, then each has its own outcome, and a good one runs afterwards', async () => {
  const { launches } = plan(51), [first] = launches;
  const bad: [Partial<Execute>, string?][] = [
    [{}, 'nonsense'],                                                  // compile_error
    [{ launches: launches.slice(0, 1) }],                              // not_written: nobody makes the first output
    [{ launches: [{ ...first!, buffers: [2, 1, 2] }] }],               // validation_error: it reads what it writes
    [{ launches: [{ ...first!, buffers: [0, 1, 9] }] }],               // validation_error: no such buffer
    [{ textures: [] }],                                                // validation_error
  ];
  const codes: (string | undefined)[] = [];
  for (const [i, [more, code]] of bad.entries()) codes.push((await service.execute(plan(60 + i, more, code))).executed.error?.code);
  assert.deepEqual(codes, ['compile_error', 'not_written', 'validation_error', 'validation_error', 'validation_error']);
  assert.equal((await service.execute(plan(70))).executed.error, undefined);
});

test('given a GPU process that dies, when the context is lost, then a new one takes up the tasks and the next kernels', { timeout: 60_000 }, async () => {
  const seen = service.control.all.length;
  await chromium.killGpuProcess();
  await service.control.next((m): m is typeof m => m.kind === 'device_state' && m.state === 'recovering' && service.control.all.indexOf(m) >= seen);
  const [result] = await measure(kernels(product.glLaunch()));
  assert.equal(result?.outcome, 'ok', result?.message);
});

test('given a kernel whose scratch texture is larger than the memory, when measured, then it loses the device, and the next kernel is measured', { timeout: 30_000 }, async () => {
  const right = product.glLaunch(), huge: Texture = { width: 8192, height: 8192, layers: 1, format: 'rgba32f' };
  const greedy: Launch = { ...right, bindings: [...right.bindings, { kind: 'temp', position: 0, writes: false, bytes: 64, texture: huge }] };
  // One after the other: together they would be tried again each alone, and Chromium's third lost context is its last until it starts anew.
  const results = [...await measure([candidate(next_trial++, { temps: [64], launches: [greedy] })]), ...await measure(kernels(right))];
  assert.deepEqual(results.map(r => r.outcome), ['device_lost', 'ok'], told(results));
});

test('given a kernel that does not end, when its cap is over, then it is a timeout, and nothing is timed on a hung GPU', { timeout: 90_000 }, async () => {
  const endless = product.glLaunch({ guard: 'float spin = 0.0; for (uint n = 0u; n < 4000000000u; n++) { spin = spin * 0.999 + texelFetch(b0, ivec2(int(n % 16u), 0), 0).x; if (spin > 1e30) { break; } } if (spin == 1.0) { discard; }' });
  const [bad, good] = kernels(endless, product.glLaunch());
  assert.ok(bad && good);
  service.toSession({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: { ...policy, cap_ms: 2000 }, candidates: [bad, good] });
  const late = await service.session.next((m): m is CandidateResult => m.kind === 'result' && m.trial === bad.trial);
  assert.equal(late.outcome, 'timeout');
  assert.equal(late.latency_us_median, 0);
  const beat = await service.heartbeat(b => !b.worker_alive, 30_000);
  assert.equal(beat.worker_alive, false);
  assert.ok(!service.session.all.some(m => m.kind === 'result' && m.trial === good.trial));
});
