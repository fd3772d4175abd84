// What any agent must tell of right and wrong WebGPU kernels, and how long a small run takes. The session is open.
import assert from 'node:assert/strict';
import { expectEachState } from './cache_states.ts';
import type { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';
import { expectWrongLater } from './wrong_later.ts';
import type { CandidateResult, Launch } from '../src/generated/protocol.ts';

const task = 'ab'.repeat(16), n = 64, bytes = n * n * 4;
const product = new SquareProduct(n);

// Each kernel as a candidate, in one batch. `batch` and the trials must be new.
export async function measureKernels(service: FakeService, batch: number, launches: readonly Launch[]): Promise<CandidateResult[]> {
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 1000 + batch, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
  const candidates = launches.map((launch, i) => candidate(100 * batch + i, { launches: [launch] }));
  return service.measure({ kind: 'measure', batch, fence: 1, task, policy: { ...policy, cap_ms: 2000 }, candidates });
}

export async function assertKernelsToldApart(service: FakeService): Promise<void> {
  const results = await measureKernels(service, 1, [
    product.launch(), product.launch({ sum: `sum += a[i * 64u + k] * b[j * 64u + k];` }), product.launch({ prologue: 'if (i >= 32u) { return; }' }),
    product.launch({ store: 'c[i] = nonsense;' }), { ...product.launch(), grid: [100_000, 1, 1] },
  ]);
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'not_written', 'compile_error', 'validation_error'], results.map(r => r.message).join('\n'));
  const [right] = results;
  assert.ok(right && right.latency_us_median > 0 && right.max_error < 1e-5 && right.reference_us > 0);
}

export async function assertCacheStatesToldApart(service: FakeService): Promise<void> {
  let batch = 20;
  await expectEachState(how => service.measure({ kind: 'measure', batch: ++batch, fence: 1, task, policy: how, candidates: [candidate(100 * batch, { launches: [product.launch()] })] }));
}

// Of a kernel whose scratch memory tells it that it ran before.
export async function assertWrongLaterIsFound(service: FakeService): Promise<void> {
  const { code, ...launch } = product.launch({ store: `c[i * 64u + j] = select(sum, 9.0, i + j == 0u && ran_before[0] == 1u); if (i + j == 0u) { ran_before[0] = 1u; }` });
  const keeping = { ...launch, code: `@group(0) @binding(3) var<storage, read_write> ran_before: array<u32, 4>;\n${code}`, bindings: [...launch.bindings, { kind: 'temp' as const, position: 0, writes: true, bytes: 16 }] };
  let batch = 29;
  await expectWrongLater(how => service.measure({ kind: 'measure', batch: ++batch, fence: 1, task, policy: how, candidates: [candidate(100 * batch, { temps: [16], launches: [keeping] })] }));
}

// Kernels that ask for subgroups of `size` threads, and have a value from another lane; and one that asks for what the device has not.
export async function assertSubgroupsAreAskedFor(service: FakeService, size: number): Promise<void> {
  const asking = (threads: number): Launch => {
    const { code, ...launch } = product.launch({ sum: 'sum += subgroupShuffle(a[i * 64u + k], lane ^ 1u) * b[k * 64u + j];', prologue: 'let lane = index % ' + `${threads}u;` });
    const asked = code.replace('@workgroup_size(8, 8)', `@workgroup_size(64) @subgroup_size(${threads})`)
      .replace('@builtin(global_invocation_id) id: vec3u', '@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32')
      .replace('let i = id.y; let j = id.x;', 'let i = group.y * 8u + index / 8u; let j = group.x * 8u + index % 8u;');
    return { ...launch, code: `enable subgroups;\nenable subgroup_size_control;\n${asked}` };
  };
  const results = await measureKernels(service, 90, [asking(size), asking(128)]);
  assert.equal(results[0]?.outcome, 'ok', results[0]?.message);
  assert.ok(results[1]?.outcome === 'validation_error' || results[1]?.outcome === 'compile_error', results[1]?.outcome);
}

// Where the device has shader-f16: a constant that a kernel reads as halves is rounded, and no output may be so.
export async function assertHalvesAreRounded(service: FakeService): Promise<void> {
  const loose = 'ef'.repeat(16), expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 900, task: loose, buffers: product.buffers(), expected, tolerance: 4e-3 })).error, undefined);
  const whole = product.launch({ sum: 'sum += a[i * 64u + k] * f32(b[k * 64u + j]);' });
  const launches = [{ ...whole, code: `enable f16;\n${whole.code.replace('b: array<f32', 'b: array<f16')}`, bindings: whole.bindings.map(b => (b.position === 1 ? { ...b, bytes: bytes / 2 } : b)) }];
  const halves = { position: 1, dims: [], bytes: bytes / 2, dtype: 'f16' };
  const candidates = [[halves], [], [{ ...halves, position: 2 }]].map((layouts, i) => candidate(900 + i, { launches, layouts }));
  const results = await service.measure({ kind: 'measure', batch: 9, fence: 1, task: loose, policy, candidates });
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'validation_error'], results.map(r => r.message).join('\n'));
  const error = results[0]?.max_error ?? 0;
  assert.ok(error > 1e-5 && error < 4e-3, `${error}`);
}

// Milliseconds of a run that uploads 16 KiB, launches one small kernel and reads 16 KiB back: the fastest of `repeats`, which no load disturbs.
export async function roundTripMs(service: FakeService, repeats: number): Promise<number> {
  const { code, grid } = product.launch(), zeros = service.addBlob(Buffer.alloc(bytes));
  const { executed } = await service.execute({
    kind: 'execute', id: 5000, buffers: [bytes, bytes, bytes], kernels: [{ ...service.addBlob(Buffer.from(code)), writes: [false, false, true] }],
    launches: [{ kernel: 0, grid, buffers: [0, 1, 2], binding_bytes: [bytes, bytes, bytes] }],
    constants: [{ buffer: 1, ...zeros }], inputs: [{ buffer: 0, ...zeros }], outputs: [{ buffer: 2, bytes }], repeats, cap_ms: 20_000,
  });
  assert.equal(executed.error, undefined, executed.error?.message);
  return Math.min(...executed.run_ms);
}

// It computes for minutes.
export const endless = product.launch({
  prologue: 'var spin = 0.0; for (var n = 0u; n < 4000000000u; n++) { spin = spin * 0.999 + a[n % 64u]; if (spin > 1e30) { break; } } c[0] = spin;',
});
export const right = product.launch();
