// OpenGL kernels on the agent in Node.js, with the runner that HONE_OPENGL_RUNNER names: those of WebGL (webgl.test.ts).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Candidate, CandidateResult, Execute, Hello, Launch, Texture } from '../src/generated/protocol.ts';
import { expectEachState, expectOwnCopies } from './cache_states.ts';
import { FakeService } from './fake_service.ts';
import { GlProduct } from './gl_product.ts';
import { NodeProcess } from './node_process.ts';
import { candidate, policy } from './samples.ts';
import { expectWrongLater } from './wrong_later.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const runner = process.env['HONE_OPENGL_RUNNER'] ?? '';
const skip = runner === '' && 'HONE_OPENGL_RUNNER names no runner';
const task = 'ab'.repeat(16), n = 64, bytes = n * n * 4;
const product = new GlProduct(n);

let service: FakeService;
let agent: NodeProcess;
let next_batch = 1;
let next_trial = 1;

before(async () => {
  if (skip !== false) return;
  service = await FakeService.start(dist);
  agent = new NodeProcess(dist, service.pageOf('opengl'), [runner]);
  await service.hello();
  await service.openSession();
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 7, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
}, { timeout: 60_000 });

after(async () => {
  if (skip !== false) return;
  await agent.close();
  service.close();
});

function kernels(...launches: Launch[]): Candidate[] {
  return launches.map(launch => candidate(next_trial++, { launches: [launch] }));
}

function measure(candidates: readonly Candidate[], cap_ms = policy.cap_ms): Promise<CandidateResult[]> {
  return service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: { ...policy, cap_ms }, candidates });
}

function told(results: readonly CandidateResult[]): string {
  return results.map(r => `${r.outcome}: ${r.message}`).join('\n');
}

test('given the target opengl, when the agent says hello, then it brings the driver with a WebGL context\'s limits and the runner\'s clock', { skip }, async () => {
  const { devices: [device] } = await service.hello();
  assert.ok(device);
  assert.equal(device.target, 'opengl');
  assert.equal(device.fingerprint.browser, 'native');
  assert.notEqual(device.fingerprint.device, '');
  assert.ok((device.fingerprint.limits['MAX_TEXTURE_SIZE'] ?? 0) >= 2048);
  assert.ok((device.fingerprint.limits['MAX_DRAW_BUFFERS'] ?? 0) >= 4);
  assert.ok(device.fingerprint.features.includes('GL_EXT_color_buffer_float'));
  assert.ok((device.fingerprint.launch_us ?? 0) > 0 && (device.fingerprint.launch_us ?? 0) < 1e5, `a launch costs ${device.fingerprint.launch_us} µs`);
  assert.equal(device.timer.method, 'clock');
});

test('given right kernels of one, four and eight layers, and one that reads an array, when measured, then all are right and have times', { skip }, async () => {
  const results = await measure(kernels(product.glLaunch(), product.glLaunch({ layers: 4 }), product.glLaunch({ layers: 8 }), product.glLaunch({ a_layers: 4 })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'ok', 'ok', 'ok'], told(results));
  for (const r of results) assert.ok(r.latency_us_median > 0 && r.max_error < 1e-5 && r.reference_us > 0 && r.create_ms > 0 && r.method === 'clock');
});

test('given bad kernels among right ones, when measured, then each has its own outcome and words, and the right ones stay right', { skip }, async () => {
  const right = product.glLaunch(), bound = (position: number, texture: Texture): Launch => ({ ...right, bindings: right.bindings.map(b => (b.position === position ? { ...b, texture } : b)) });
  const { texture: _, ...bare } = right.bindings[0]!;
  const results = await measure(kernels(
    right,
    product.glLaunch({ value: '1.5 * sum' }),
    product.glLaunch({ guard: 'if (p.x == 3) { discard; }' }),
    product.glLaunch({ head: 'nonsense' }),
    bound(0, { width: 4, height: 4, layers: 1, format: 'rgba32f' }),
    bound(0, { width: 1 << 20, height: 1, layers: 1, format: 'rgba32f' }),
    bound(0, { ...product.texture(), format: 'rgba32i' }),
    bound(1, { ...product.texture(), format: 'rgb8' }),
    { ...right, grid: [n / 4, n / 2, 1] },
    { ...right, bindings: [bare, ...right.bindings.slice(1)] },
    { ...right, bindings: right.bindings.slice(0, 2) },
    { ...right, bindings: right.bindings.map(b => ({ ...b, writes: b.position !== 1 })) },
    right,
  ));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'not_written', 'compile_error', ...Array.from({ length: 8 }, () => 'validation_error'), 'ok'], told(results));
  assert.match(results[3]?.message ?? '', /syntax error|nonsense/);
  for (const r of results.filter(({ outcome }) => outcome !== 'ok')) assert.notEqual(r.message, '');
});

test('given a candidate that wants its output and an input in other layouts, when measured, then it is compared in them', { skip }, async () => {
  const launches = [product.glLaunch({ layers: 4, by_remainder: true, a_by_columns: true })];
  const output = { position: 2, dims: product.remainderDims(4), bytes }, input = { position: 0, dims: product.columnDims(), bytes };
  const results = await measure([[output, input], [output], [input], [{ ...output, position: 9 }]].map(layouts => candidate(next_trial++, { launches, layouts })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'wrong_output', 'validation_error'], told(results));
});

test('given a candidate that wants a constant as halves, when measured, then it is right but for their rounding, and nothing else may be so', { skip }, async () => {
  const loose = 'ef'.repeat(16), expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 41, task: loose, buffers: product.buffers(), expected, tolerance: 4e-3 })).error, undefined);
  const halves = { position: 1, dims: [], bytes: bytes / 2, dtype: 'f16' }, launches = [product.glLaunch({ b_halves: true })];
  const all = [[halves], [], [{ ...halves, dtype: 'f64' }], [halves, { ...halves, position: 2, bytes }]].map(layouts => candidate(next_trial++, { launches, layouts }));
  const results = await service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task: loose, policy, candidates: all });
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'validation_error', 'unsupported', 'unsupported'], told(results));
  const error = results[0]?.max_error ?? 0;
  assert.ok(error > 1e-5 && error < 4e-3, `${error}`);
});

test('given policies of each state of the caches, when measured, then results say in which one they were taken, and what the other one gives', { skip }, async () => {
  await expectEachState(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: kernels(product.glLaunch({ layers: 4 })) }));
});

test('given candidates whose textures of one argument differ, when measured on copies, then each finds its own', { skip }, async () => {
  const loose = 'cd'.repeat(16), expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 42, task: loose, buffers: product.buffers(), expected, tolerance: 4e-3 })).error, undefined);
  await expectOwnCopies(product.variants(), (all, how) => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task: loose, policy: how, candidates: all.map(one => candidate(next_trial++, one)) }));
});

test('given a kernel whose scratch texture tells it that it ran before, when it is wrong from then on, then it has no time', { skip }, async () => {
  await expectWrongLater(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: [candidate(next_trial++, { temps: [16], launches: product.rightOnce() })] }));
});

test('given a scratch texture between two launches, when measured, then both run in order', { skip }, async () => {
  const first = product.glLaunch(), scratch = { kind: 'temp' as const, position: 0, bytes, texture: product.texture() };
  const into = { ...first, bindings: [...first.bindings.slice(0, 2), { ...scratch, writes: true }] };
  const copy: Launch = {
    ...first, code: `#version 300 es
precision highp float; precision highp sampler2D;
uniform sampler2D b0;
layout(location = 0) out vec4 o;
void main() { o = texelFetch(b0, ivec2(gl_FragCoord.xy), 0); }`, bindings: [{ ...scratch, writes: false }, first.bindings[2]!],
  };
  const results = await measure([[into, copy], [copy, into]].map(launches => candidate(next_trial++, { temps: [bytes], launches })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'not_written'], told(results));   // the scratch texture's poison is copied
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

test('given a plan of two products, when executed, then both outputs come back right, with the times of runs and draws', { skip }, async () => {
  const { executed, outputs } = await service.execute(plan(50, { repeats: 5 }));
  assert.equal(executed.error, undefined, executed.error?.message);
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const c = product.times(a, b), expected = [...product.times(c, b), ...c];
  assert.equal(outputs.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-2, `element ${i}`);
  assert.equal(executed.run_ms.length, 5);
  for (const [i, ms] of executed.run_ms.entries()) assert.ok(ms > 0 && (executed.kernel_ms[i] ?? Infinity) <= ms + 1);
});

test('given bad plans, when executed, then each has its own outcome, and a good one runs afterwards', { skip }, async () => {
  const { launches } = plan(51), [first] = launches;
  const bad: [Partial<Execute>, string?][] = [
    [{}, 'nonsense'],                                                  // compile_error
    [{ launches: launches.slice(0, 1) }],                              // not_written: nobody makes the first output
    [{ launches: [{ ...first!, buffers: [2, 1, 2] }] }],               // validation_error: it reads what it writes
    [{ launches: [{ ...first!, buffers: [0, 1] }] }],                  // validation_error: a binding is missing
    [{ textures: [] }],                                                // validation_error
  ];
  const codes: (string | undefined)[] = [];
  for (const [i, [more, code]] of bad.entries()) codes.push((await service.execute(plan(60 + i, more, code))).executed.error?.code);
  assert.deepEqual(codes, ['compile_error', 'not_written', 'validation_error', 'validation_error', 'validation_error']);
  assert.equal((await service.execute(plan(70))).executed.error, undefined);
});

test('given a kernel that does not end, when its cap is over, then it is a timeout, and the next kernel runs in another runner', { timeout: 90_000, skip }, async () => {
  // Mesa's llvmpipe ends each loop after 65535 turns; so it is a long one, in each of very many fragments.
  const endless = product.glLaunch({ guard: 'float spin = 0.0; for (int i = 0; i < 60000; i++) { for (int j = 0; j < 1; j++) { spin += sqrt(texelFetch(b0, ivec2(i % 16, i / 16 % 64), 0).x * spin); } } if (spin == 1.0) { discard; }' });
  const wide: Texture = { width: 4096, height: 4096, layers: 1, format: 'rgba32f' };
  const long: Launch = { ...endless, grid: [4096, 4096, 1], bindings: endless.bindings.map(b => (b.position === 2 ? { ...b, texture: wide } : b)) };
  const results = await measure(kernels(long, product.glLaunch()), 2000);
  assert.deepEqual(results.map(r => r.outcome), ['timeout', 'ok'], told(results));
});

test('given a runner that is killed, when the next kernel comes, then another runner has the task and measures it', { timeout: 60_000, skip }, async () => {
  const seen = service.control.all.length;
  const threads = `/proc/${agent.pid}/task`, children = readdirSync(threads).flatMap(thread => readFileSync(`${threads}/${thread}/children`, 'utf8').split(' ').filter(id => id !== ''));
  assert.ok(children.length > 0);
  for (const child of children) process.kill(Number(child), 'SIGKILL');   // among them may be one that has ended
  await service.control.next((m): m is typeof m => m.kind === 'device_state' && m.state === 'recovering' && service.control.all.indexOf(m) >= seen);
  const [result] = await measure(kernels(product.glLaunch()));
  assert.equal(result?.outcome, 'ok', result?.message);
});

test('given no runner where it should be, when the agent is started, then the service learns why there is no device and what to do', { timeout: 60_000, skip }, async () => {
  const alone = await FakeService.start(dist), lost = new NodeProcess(dist, alone.pageOf('opengl'), ['./no_such_runner']);
  try {
    const { devices, problem } = await alone.control.next((m): m is Hello => m.kind === 'hello');
    assert.deepEqual(devices, []);
    assert.match(problem ?? '', /no_such_runner cannot be started.*libgl1-mesa-dri.*--target webgl/);
  } finally {
    await lost.close();
    alone.close();
  }
});
