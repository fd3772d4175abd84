// What any agent must tell of right, wrong, trapping, straying and endless WebAssembly kernels. The session is open.
import assert from 'node:assert/strict';
import type { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { add, endless, f32, get, i32, lessThan, loadI32, multiplyF32, parameters, storeF32, unreachable, when } from './wasm_module.ts';
import { WasmProduct } from './wasm_product.ts';
import { expectWrongLater } from './wrong_later.ts';

export async function assertOutcomesToldApart(service: FakeService): Promise<void> {
  const product = new WasmProduct(64, true), task = 'ab'.repeat(16);
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
  const kernels = [
    product.kernel(), product.kernel({ value: sum => multiplyF32(sum, f32(2)) }), product.kernel({ prologue: unreachable }),
    product.kernel({ after: storeF32(product.element(i32(-2)), f32(1)) }), product.kernel({ prologue: endless }), product.kernel(),
  ];
  const candidates = kernels.map(({ launch }, i) => candidate(i + 1, { launches: [launch] }));
  const results = await service.measure(
    { kind: 'measure', batch: 1, fence: 1, task, policy: { ...policy, cap_ms: 2000 }, candidates }, Buffer.concat(kernels.map(({ module }) => module)));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'validation_error', 'wrong_output', 'timeout', 'ok'], results.map(r => r.message).join('\n'));
  assert.ok((results[0]?.latency_us_median ?? 0) > 20 && results[0]?.method === 'clock');
}

// Of a kernel whose scratch memory tells it that it ran before.
export async function assertWrongLaterIsFound(service: FakeService): Promise<void> {
  const product = new WasmProduct(64, true), task = 'cd'.repeat(16), ran_before = add(get(parameters.args), i32(12)), marker = f32(1), beyond_marker = i32(0x40000000);
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 2, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
  const spoil = when(lessThan(loadI32(loadI32(ran_before)), beyond_marker), storeF32(product.element(i32(0)), f32(9)));
  const { launch, module } = product.kernel({ after: when(lessThan(get(parameters.begin), i32(1)), [...spoil, ...storeF32(loadI32(ran_before), marker)]) });
  const bindings = [...launch.bindings, { kind: 'temp' as const, position: 0, writes: true, bytes: 4 }];
  let batch = 1;
  const candidates = [candidate(10, { temps: [4], launches: [{ ...launch, bindings }] })];
  await expectWrongLater(how => service.measure({ kind: 'measure', batch: ++batch, fence: 1, task, policy: how, candidates }, Buffer.from(module)));
}
