// Native kernels on the agent in Node.js, with the runner that HONE_NATIVE_RUNNER names.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CandidateResult, Hello, Launch } from '../src/generated/protocol.ts';
import { expectEachState } from './cache_states.ts';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const runner = process.env['HONE_NATIVE_RUNNER'] ?? '';

// The square product as loop IR; `store` may change where and what is stored, `prologue` what comes before.
function kernel({ n }: SquareProduct, { prologue = '', store = `C[bx * ${n} + j] = acc[0]` } = {}): Launch {
  const bytes = n * n * 4;
  const code = `arg A: f32[${n * n}]
arg B: f32[${n * n}]
out C: f32[${n * n}]
launch grid(bx: ${n}) threads(1)
${prologue}  for j in 0..${n}
    alloc acc: f32[1]
    acc[0] = 0.0
    for k in 0..${n}
      acc[0] = mad(A[bx * ${n} + k], B[k * ${n} + j], acc[0])
    ${store}
`;
  const bindings = [0, 1, 2].map(position => ({ kind: 'arg' as const, position, writes: position === 2, bytes }));
  return { code, module_bytes: 0, scratch_bytes: 0, grid: [1, 1, 1], threads: [1, 1, 1], bindings };
}

const endless = `  for y in 0..2000000000
    for z in 0..2000000000
      C[bx] = C[bx] + 1.0
`;

test('given a native agent, when kernels are measured, then right, wrong, straying, unverifiable, misdeclared and endless ones are told apart', { timeout: 120_000, skip: runner === '' && 'HONE_NATIVE_RUNNER names no runner' }, async () => {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, service.pageOf('native'), [runner]);
  try {
    const { devices: [device] } = await service.hello();
    assert.equal(device?.fingerprint.target, 'native');
    assert.equal(device.fingerprint.browser, 'native');
    assert.ok((device.fingerprint.limits['vector_lanes'] ?? 0) >= 4);
    await service.openSession();
    const product = new SquareProduct(48), task = 'ab'.repeat(16);
    const expected = service.expected(product.reference());
    assert.equal((await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
    const right = kernel(product);
    const kernels: [Launch, string][] = [
      [right, 'ok'],
      [kernel(product, { store: 'C[bx * 48 + j] = acc[0] * 2.0' }), 'wrong_output'],
      [kernel(product, { store: 'C[bx * bx * 48 + j] = acc[0]' }), 'device_lost'],
      [kernel(product, { store: 'C[bx * 480 + j] = acc[0]' }), 'validation_error'],
      [{ ...right, bindings: right.bindings.slice(1) }, 'validation_error'],
      [kernel(product, { prologue: endless }), 'timeout'],
      [right, 'ok'],
    ];
    const candidates = kernels.map(([launch], i) => candidate(i + 1, { launches: [launch] }));
    const results = await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy: { ...policy, cap_ms: 2000 }, candidates });
    assert.deepEqual(results.map(r => r.outcome), kernels.map(([, outcome]) => outcome), results.map(r => r.message).join('\n'));
    assert.equal(results[0]?.method, 'clock');
    assert.match(results[2]?.message ?? '', /SIGSEGV/);
    let trial = candidates.length;
    await expectEachState(how => service.measure({ kind: 'measure', batch: ++trial, fence: 1, task, policy: how, candidates: [candidate(trial, { launches: [right] })] }));
  } finally {
    await agent.close();
    service.close();
  }
});

// The buffers of one fit the caches so often that copies of all tasks together would take more address space than there is.
test('given forty tasks of small buffers, when a kernel of each is measured with cold caches, then all are, and were cold', { timeout: 300_000, skip: runner === '' && 'HONE_NATIVE_RUNNER names no runner' }, async () => {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, service.pageOf('native'), [runner]);
  try {
    await service.hello();
    await service.openSession();
    const product = new SquareProduct(8), expected = service.expected(product.reference()), results: CandidateResult[] = [];
    for (let id = 1; id <= 40; id++) {
      const task = id.toString(16).padStart(32, '0');
      assert.equal((await service.prepare({ kind: 'prepare_task', id, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
      results.push(...await service.measure({ kind: 'measure', batch: id, fence: 1, task, policy: { ...policy, cache: 'cold' }, candidates: [candidate(id, { launches: [kernel(product)] })] }));
    }
    // Beside other work a time may be unstable; its copies were there all the same.
    const ends = results.map(({ outcome, cache }) => `${outcome === 'unstable' ? 'ok' : outcome} ${cache}`);
    assert.deepEqual(ends, results.map(() => 'ok cold'), results.map(r => r.message).join('\n'));
  } finally {
    await agent.close();
    service.close();
  }
});

test('given no runner where it should be, when the agent is started, then the service learns why there is no device', { timeout: 60_000 }, async () => {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, service.pageOf('native'), ['./no_such_runner']);
  try {
    const { devices, problem } = await service.control.next((m): m is Hello => m.kind === 'hello');
    assert.deepEqual(devices, []);
    assert.match(problem ?? '', /no_such_runner cannot be started/);
  } finally {
    await agent.close();
    service.close();
  }
});
