// WebAssembly kernels on the real page in a real headless Chromium without a GPU.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { expectEachState } from './cache_states.ts';
import { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { call, drop, endless, loadF32, loadI32, f32, get, i32, lessThan, multiply, add, multiplyF32, storeF32, unreachable, when, parameters } from './wasm_module.ts';
import { column, row, WasmProduct, type WasmKernel } from './wasm_product.ts';
import type { CandidateResult, Execute, Measure } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const task = 'ab'.repeat(16);
const n = 64, bytes = n * n * 4;
const product = new WasmProduct(n, true);

let service: FakeService;
let chromium: Chromium;
let next_batch = 1;
let next_trial = 1;

before(async () => {
  service = await FakeService.start(dist);
  chromium = await Chromium.launch({ webgpu: false });
  await chromium.open(service.pageOf('wasm'));
  await service.hello();
  await service.openSession();
  assert.equal((await prepare(7)).error, undefined);
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  service.close();
});

function prepare(id: number): ReturnType<FakeService['prepare']> {
  const expected = service.expected(product.reference());
  return service.prepare({ kind: 'prepare_task', id, task, buffers: product.buffers(), expected, tolerance: 1e-5 });
}

function batchOf(kernels: readonly WasmKernel[], cap_ms = policy.cap_ms): { frame: Measure; payload: Uint8Array } {
  const candidates = kernels.map(({ launch }) => candidate(next_trial++, { launches: [launch] }));
  return {
    frame: { kind: 'measure', batch: next_batch++, fence: 1, task, policy: { ...policy, cap_ms }, candidates },
    payload: Buffer.concat(kernels.map(({ module }) => module)),
  };
}

function measure(...kernels: WasmKernel[]): Promise<CandidateResult[]> {
  const { frame, payload } = batchOf(kernels);
  return service.measure(frame, payload);
}

test('given the target wasm, when the page says hello, then it brings WebAssembly with its features and a clock with its step, and shows so', async () => {
  const { devices: [device] } = await service.hello();
  assert.ok(device);
  assert.equal(device.local_id, 'wasm-0');
  assert.equal(device.target, 'wasm');
  assert.equal(device.fingerprint.browser, 'chromium');
  assert.deepEqual(device.fingerprint.features, ['relaxed-simd', 'simd128', 'threads']);
  assert.ok((device.fingerprint.limits['threads'] ?? 0) >= 1);
  assert.equal(device.timer.method, 'clock');
  assert.ok(device.timer.quantum_ns > 0 && device.timer.quantum_ns <= 1e5, `${device.timer.quantum_ns}`);
  await chromium.waitForText(/WebAssembly kernels[\s\S]*WebAssembly, \d+ thread/);
});

test('given policies of each state of the caches, when measured, then results say in which one they were taken, and what the other one gives', async () => {
  await expectEachState(how => {
    const { frame, payload } = batchOf([product.kernel()]);
    return service.measure({ ...frame, policy: how }, payload);
  });
});

test('given a right kernel, when measured, then it has its samples, their median and times by the clock around it', async () => {
  const [result] = await measure(product.kernel());
  assert.equal(result?.outcome, 'ok', result?.message);
  assert.ok(result.max_error < 1e-5 && result.reference_us > 0 && result.create_ms > 0);
  assert.equal(result.method, 'clock');
  // How long a sample lasts, and whether it ran optimised code, is tested where the clock is a fake (timing_ladder, warm_up): here another
  // process may hold the processor.
  const [, middle] = [...result.samples_us].sort((a, b) => a - b);
  assert.equal(result.samples_us.length, 3);
  assert.equal(result.latency_us_median, middle);
  assert.ok(result.repeats >= 1 && Math.min(...result.samples_us) > 20, `${result.samples_us} µs`);
});

test('given bad kernels among right ones, when measured, then each has its own outcome and words, and the right ones stay right', async () => {
  const here = add(multiply(get(row), i32(n)), get(column));
  const first_only = (body: readonly number[]): readonly number[] => when(lessThan(get(parameters.begin), i32(1)), body);
  const results = await measure(
    product.kernel(),
    product.kernel({ value: sum => multiplyF32(sum, f32(1.5)) }),
    product.kernel({ element: product.element(multiply(here, i32(0))) }),
    product.kernel({ after: first_only(storeF32(product.element(i32(-2)), f32(1))) }),
    product.kernel({ after: first_only(storeF32(product.element(i32(n * n)), f32(1))) }),
    product.kernel({ after: first_only(storeF32(product.input(i32(5)), f32(7))) }),
    product.kernel({ prologue: unreachable }),
    product.kernel({ prologue: storeF32(i32(0x7ffffff0), f32(1)) }),
    product.kernel({ prologue: when(lessThan(i32(n / 2), get(parameters.begin)), unreachable) }),
    { ...product.kernel(), module: product.kernel().module.map((byte, i) => (i === 3 ? 0x6e : byte)) },
    product.kernel({ shared: false }),
    product.kernel({ imports: ['expf'], value: sum => multiplyF32(sum, call(0, f32(0))) }),
    product.kernel(),
  );
  assert.deepEqual(results.map(r => r.outcome), [
    'ok', 'wrong_output', 'not_written', 'wrong_output', 'wrong_output', 'wrong_output', 'validation_error', 'validation_error', 'validation_error',
    'compile_error', 'validation_error', 'ok', 'ok',
  ], results.map(r => r.message).join('\n'));
  const words = results.map(r => r.message);
  assert.match(words[3] ?? '', /wrote before c/);
  assert.match(words[4] ?? '', /wrote behind c/);
  assert.match(words[5] ?? '', /changed the input a/);
  assert.match(words[6] ?? '', /trapped: unreachable/);
  assert.match(words[7] ?? '', /trapped: memory access out of bounds/);
  assert.match(words[8] ?? '', /trapped: unreachable/, 'on whatever thread');
  assert.match(words[10] ?? '', /memory/);
});

test('given kernels that sum in scratch memory of their thread, and one that reads far beside its buffers, when measured, then all are right', async () => {
  const far = [...drop(loadF32(product.element(i32(-(1 << 21))))), ...drop(loadF32(product.element(i32(1 << 21))))];
  const results = await measure(product.kernel({ scratch: true }), product.kernel({ scratch: true }), product.kernel({ after: far }));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'ok', 'ok'], results.map(r => r.message).join('\n'));
});

test('given a candidate of two launches with a scratch buffer between, when measured, then both run in order', async () => {
  const first = product.kernel({ value: sum => multiplyF32(sum, f32(2)) }), second = product.kernel();
  const to = (kernel: WasmKernel, position: number, temp: boolean): WasmKernel['launch'] => ({
    ...kernel.launch, bindings: kernel.launch.bindings.map((binding, i) => (i === position && temp ? { ...binding, kind: 'temp' as const, position: 0 } : binding)),
  });
  const two = candidate(next_trial++, { temps: [bytes], launches: [to(first, 2, true), to(second, 2, false)] });
  const frame: Measure = { kind: 'measure', batch: next_batch++, fence: 1, task, policy, candidates: [two] };
  const [result] = await service.measure(frame, Buffer.concat([first.module, second.module]));
  assert.equal(result?.outcome, 'ok', result?.message);
});

// A product that traps where it finds its result already: it may run but once.
const once_only = product.kernel({
  prologue: when(lessThan(get(parameters.begin), i32(1)), when(lessThan(loadI32(product.element(i32(0))), i32(0x7f000000)), unreachable)),
});

test('given a launch that may run but once, when a candidate has it ahead of another, then that one is timed; where it is not ahead, the candidate traps', async () => {
  const second = product.kernel();
  const to_temp = { ...once_only.launch, bindings: once_only.launch.bindings.map(binding => (binding.writes ? { ...binding, kind: 'temp' as const, position: 0 } : binding)) };
  for (const ahead of [true, false]) {
    const two = candidate(next_trial++, { temps: [bytes], launches: [{ ...to_temp, ahead }, second.launch] });
    const frame: Measure = { kind: 'measure', batch: next_batch++, fence: 1, task, policy, candidates: [two] };
    const [result] = await service.measure(frame, Buffer.concat([once_only.module, second.module]));
    assert.equal(result?.outcome, ahead ? 'ok' : 'validation_error', result?.message);
  }
});

test('given a plan with a launch that may run but once, when executed several times, then it is right if that launch is ahead, and traps if not', async () => {
  const ones = Buffer.from(new Float32Array(n * n).fill(1).buffer), binding_bytes = [bytes, bytes, bytes];
  const plan: Execute = {
    kind: 'execute', id: 60, buffers: [bytes, bytes, bytes, bytes],
    kernels: [once_only.module, product.kernel().module].map(module => ({ ...service.addBlob(Buffer.from(module)), writes: [false, false, true] })),
    launches: [{ kernel: 0, grid: [n, 1, 1], buffers: [1, 1, 2], binding_bytes, ahead: true }, { kernel: 1, grid: [n, 1, 1], buffers: [0, 2, 3], binding_bytes }],
    constants: [{ buffer: 1, ...service.addBlob(ones) }], inputs: [{ buffer: 0, ...service.addBlob(ones) }],
    outputs: [{ buffer: 3, bytes }], repeats: 3, cap_ms: 20_000,
  };
  const { executed, outputs } = await service.execute(plan);
  assert.equal(executed.error, undefined, executed.error?.message);
  assert.equal(outputs[0], n * n);
  const again = await service.execute({ ...plan, id: 61, launches: plan.launches.map(({ ahead: _, ...launch }) => launch) });
  assert.equal(again.executed.error?.code, 'validation_error');
});

test('given a plan of two products, when executed, then both outputs come back right, with the times of runs and launches', async () => {
  const kernel = product.kernel();
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const binding_bytes = [bytes, bytes, bytes];
  const plan: Execute = {
    kind: 'execute', id: 50, buffers: [bytes, bytes, bytes, bytes], kernels: [{ ...service.addBlob(Buffer.from(kernel.module)), writes: [false, false, true] }],
    launches: [{ kernel: 0, grid: [n, 1, 1], buffers: [0, 1, 2], binding_bytes }, { kernel: 0, grid: [n, 1, 1], buffers: [2, 1, 3], binding_bytes }],
    constants: [{ buffer: 1, ...service.addBlob(Buffer.from(b.buffer)) }], inputs: [{ buffer: 0, ...service.addBlob(Buffer.from(a.buffer)) }],
    outputs: [{ buffer: 3, bytes }, { buffer: 2, bytes }], repeats: 5, cap_ms: 20_000,
  };
  const { executed, outputs } = await service.execute(plan);
  assert.equal(executed.error, undefined, executed.error?.message);
  const c = times(a, b), expected = [...times(c, b), ...c];
  assert.equal(outputs.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-2, `element ${i}`);
  assert.equal(executed.run_ms.length, 5);
  for (const [i, ms] of executed.run_ms.entries()) assert.ok(ms > 0 && (executed.kernel_ms[i] ?? Infinity) <= ms);
  const half = await service.execute({ ...plan, id: 51, launches: plan.launches.slice(0, 1) });
  assert.equal(half.executed.error?.code, 'not_written');
  const trap = await service.execute({ ...plan, id: 52, kernels: [{ ...service.addBlob(Buffer.from(product.kernel({ prologue: unreachable }).module)), writes: [false, false, true] }] });
  assert.equal(trap.executed.error?.code, 'validation_error');
});

function times(x: Float32Array, y: Float32Array): Float32Array {
  return Float32Array.from({ length: n * n }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += (x[Math.floor(at / n) * n + k] ?? 0) * (y[k * n + at % n] ?? 0);
    return sum;
  });
}

test('given a kernel that does not end, when its cap is over, then it is a timeout, and the next kernel is measured on a new worker', { timeout: 60_000 }, async () => {
  const { frame, payload } = batchOf([product.kernel({ prologue: endless }), product.kernel()], 2000);
  const [late, good] = await service.measure(frame, payload);
  assert.equal(late?.outcome, 'timeout');
  assert.equal(good?.outcome, 'ok', good?.message);
});

test('given a page that is not cross-origin isolated, when opened, then kernels run on one thread, and the page says so', { timeout: 60_000 }, async () => {
  const plain = await FakeService.start(dist, { isolated: false });
  try {
    await chromium.open(plain.pageOf('wasm'));
    const { devices: [device] } = await plain.hello();
    assert.deepEqual(device?.fingerprint.features, ['relaxed-simd', 'simd128']);
    await chromium.waitForText(/not cross-origin isolated, so kernels run on one thread[\s\S]*WebAssembly, 1 thread/);
    await plain.openSession();
    const alone = new WasmProduct(n, false), expected = plain.expected(alone.reference());
    assert.equal((await plain.prepare({ kind: 'prepare_task', id: 1, task, buffers: alone.buffers(), expected, tolerance: 1e-5 })).error, undefined);
    const { frame, payload } = batchOf([alone.kernel(), product.kernel()]);
    const results = await plain.measure(frame, payload);
    assert.deepEqual(results.map(r => r.outcome), ['ok', 'validation_error'], results.map(r => r.message).join('\n'));
  } finally {
    plain.close();
  }
});
