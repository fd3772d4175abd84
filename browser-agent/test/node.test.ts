// WebAssembly kernels on the agent in Node.js.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { candidate, policy } from './samples.ts';
import { endless, f32, i32, multiplyF32, storeF32, unreachable } from './wasm_module.ts';
import { WasmProduct, type WasmKernel } from './wasm_product.ts';
import type { Measure } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');

test('given Node.js, when kernels are measured, then right, wrong, trapping and endless ones are told apart', { timeout: 120_000 }, async () => {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, service.pageOf('wasm'));
  try {
    const { devices: [device], launch_id } = await service.hello();
    assert.equal(launch_id, 'test');
    assert.equal(device?.fingerprint.browser, 'node');
    const major = Number.parseInt(process.versions.node, 10);
    assert.equal(device.fingerprint.browser_major, major);
    // The relaxed SIMD of Node.js 18 has codes from before the standard.
    assert.deepEqual(device.fingerprint.features, [...(major >= 20 ? ['relaxed-simd'] : []), 'simd128', 'threads']);
    assert.equal(device.fingerprint.limits['threads'], Math.min(32, availableParallelism()));
    await service.openSession();
    const product = new WasmProduct(64, true), task = 'ab'.repeat(16);
    const expected = { outputs: [service.addBlob(Buffer.from(product.reference().buffer))] };
    assert.equal((await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
    const kernels: WasmKernel[] = [
      product.kernel(), product.kernel({ value: sum => multiplyF32(sum, f32(2)) }), product.kernel({ prologue: unreachable }),
      product.kernel({ after: storeF32(product.element(i32(-2)), f32(1)) }), product.kernel({ prologue: endless }), product.kernel(),
    ];
    const frame: Measure = {
      kind: 'measure', batch: 1, fence: 1, task, policy: { ...policy, cap_ms: 2000 },
      candidates: kernels.map(({ launch }, i) => candidate(i + 1, { launches: [launch] })),
    };
    const results = await service.measure(frame, Buffer.concat(kernels.map(({ module }) => module)));
    assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'validation_error', 'wrong_output', 'timeout', 'ok'], results.map(r => r.message).join('\n'));
    assert.ok((results[0]?.latency_us_median ?? 0) > 20 && results[0]?.method === 'clock');
  } finally {
    await agent.close();
    service.close();
  }
});

test('given a URL without a token, when the agent is started, then it ends with a sentence', { timeout: 60_000 }, async () => {
  const service = await FakeService.start(dist);
  try {
    const without_token = new NodeProcess(dist, `${service.origin}/agent/`);
    assert.equal(await without_token.ended, 1);
    assert.match(without_token.log, /carries no token/);
  } finally {
    service.close();
  }
});
