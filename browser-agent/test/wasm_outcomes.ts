// What any agent must tell of right, wrong, trapping, straying and endless WebAssembly kernels. The session is open.
import assert from 'node:assert/strict';
import type { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { endless, f32, i32, multiplyF32, storeF32, unreachable } from './wasm_module.ts';
import { WasmProduct } from './wasm_product.ts';

export async function assertOutcomesToldApart(service: FakeService): Promise<void> {
  const product = new WasmProduct(64, true), task = 'ab'.repeat(16);
  const expected = { outputs: [service.addBlob(Buffer.from(product.reference().buffer))] };
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
