// Whole models on the real page in a real headless Chromium: C = A · B, then D = C · B, as one plan.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { SquareProduct } from './square_product.ts';
import type { Execute } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const n = 16, bytes = n * n * 4;
const product = new SquareProduct(n);
const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));

let service: FakeService;
let chromium: Chromium;

before(async () => {
  service = await FakeService.start(dist);
  chromium = await Chromium.launch();
  await chromium.open(service.page);
  await service.hello();
  await service.openSession();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  service.close();
});

function times(x: Float32Array, y: Float32Array): Float32Array {
  return Float32Array.from({ length: n * n }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += (x[Math.floor(at / n) * n + k] ?? 0) * (y[k * n + at % n] ?? 0);
    return sum;
  });
}

function plan(id: number, more: Partial<Execute> = {}, code = product.launch().code): Execute {
  const { grid } = product.launch(), binding_bytes = [bytes, bytes, bytes];
  return {
    kind: 'execute', id, buffers: [bytes, bytes, bytes, bytes],
    kernels: [{ ...service.addBlob(Buffer.from(code)), writes: [false, false, true] }],
    launches: [{ kernel: 0, grid, buffers: [0, 1, 2], binding_bytes }, { kernel: 0, grid, buffers: [2, 1, 3], binding_bytes }],
    constants: [{ buffer: 1, ...service.addBlob(Buffer.from(b.buffer)) }],
    inputs: [{ buffer: 0, ...service.addBlob(Buffer.from(a.buffer)) }],
    outputs: [{ buffer: 3, bytes }, { buffer: 2, bytes }],
    repeats: 0, cap_ms: 20_000, ...more,
  };
}

test('given a plan of two products, when executed, then both outputs come back right, and each timed run has a time of both clocks', async () => {
  const { executed, outputs } = await service.execute(plan(1, { repeats: 5 }));
  assert.equal(executed.error, undefined);
  const c = times(a, b), expected = [...times(c, b), ...c];
  assert.equal(outputs.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-3, `element ${i}`);
  assert.equal(executed.run_ms.length, 5);
  assert.equal(executed.kernel_ms.length, 5);
  for (const [i, ms] of executed.run_ms.entries()) assert.ok(ms > 0 && (executed.kernel_ms[i] ?? Infinity) <= ms + 1);
});

test('given bad plans, when executed, then each has its own outcome, and a good one runs afterwards', async () => {
  const { launches } = plan(2);
  const bad: [Partial<Execute>, string?][] = [
    [{}, 'nonsense'],                                                                         // compile_error
    [{ launches: launches.slice(0, 1) }],                                                     // not_written: nobody makes the first output
    [{ launches: [{ kernel: 0, grid: [2, 2, 1], buffers: [0, 1, 1], binding_bytes: [bytes, bytes, bytes] }] }],  // validation_error
    [{ launches: [{ kernel: 0, grid: [2, 2, 1], buffers: [0, 1, 9], binding_bytes: [bytes, bytes, bytes] }] }],  // validation_error
    [{ inputs: [{ buffer: 0, sha256: 'ab'.repeat(32), bytes }] }],                            // not_found
  ];
  const codes: (string | undefined)[] = [];
  for (const [i, [more, code]] of bad.entries()) {
    const { executed, outputs } = await service.execute(plan(10 + i, more, code));
    codes.push(executed.error?.code);
    assert.equal(outputs.length, 0);
  }
  assert.deepEqual(codes, ['compile_error', 'not_written', 'validation_error', 'validation_error', 'not_found']);
  assert.equal((await service.execute(plan(20))).executed.error, undefined);
});

test('given a rival with twice the launches, when both are timed in turns on a fresh device, then both outputs come back, each quad has four times with the reference kernel behind them, and the rival is slower', async () => {
  const first = plan(30), { launches } = first;
  const rival = { buffers: first.buffers, kernels: first.kernels, launches: Array.from({ length: 20 }, () => launches).flat(), constants: first.constants, inputs: first.inputs, outputs: first.outputs, rival_first: [true, false], sample_ms: 5, kernels_alone: false };
  const { executed, outputs } = await service.execute(plan(31, { rival, fresh: true }));
  assert.equal(executed.error, undefined);
  const c = times(a, b), expected = [...times(c, b), ...c];
  assert.equal(outputs.length, 2 * expected.length);
  for (const [i, value] of [...expected, ...expected].entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-3, `element ${i}`);
  const { quad_ms = [], reference_us = [] } = executed;
  assert.equal(quad_ms.length, 8);
  assert.equal(reference_us.length, 8);
  assert.ok([...quad_ms, ...reference_us].every(time => time > 0));
  const sum = (role: number): number => quad_ms.filter((_, i) => i % 2 === role).reduce((all, ms) => all + ms, 0);
  assert.ok(sum(1) > sum(0), `${quad_ms}`);
  assert.deepEqual(executed.run_ms, []);
});

test('given a rival that does not compile, and one that writes too little, when both are to be timed, then that is said of the new build, and the next plan runs', async () => {
  const { buffers, kernels, launches, constants, inputs, outputs } = plan(32);
  const rival = { buffers, kernels, launches, constants, inputs, outputs, rival_first: [true], sample_ms: 5, kernels_alone: false };
  const nonsense = [{ ...service.addBlob(Buffer.from('nonsense')), writes: [false, false, true] }];
  const bad = await service.execute(plan(33, { rival: { ...rival, kernels: nonsense } }));
  assert.equal(bad.executed.error?.code, 'compile_error');
  assert.match(bad.executed.error?.message ?? '', /^the new build: /);
  const less = await service.execute(plan(34, { rival: { ...rival, launches: launches.slice(0, 1) } }));
  assert.equal(less.executed.error?.code, 'not_written');
  assert.equal((await service.execute(plan(35))).executed.error, undefined);
});
