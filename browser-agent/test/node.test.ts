// WebAssembly kernels on the agent in Node.js.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { assertOutcomesToldApart, assertWrongLaterIsFound } from './wasm_outcomes.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');

test('given Node.js, when kernels are measured, then right, wrong, trapping and endless ones are told apart, and those that are wrong when they run again', { timeout: 120_000 }, async () => {
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
    await assertOutcomesToldApart(service);
    await assertWrongLaterIsFound(service);
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
