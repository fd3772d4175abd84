// WebGPU kernels on the agent in Node.js, by Dawn on Chromium's software driver.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { assertCacheStatesToldApart, assertKernelsToldApart, assertSubgroupsAreAskedFor, assertWrongLaterIsFound, endless, measureKernels, right, roundTripMs } from './webgpu_outcomes.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const round_trip_ms_max = 50;

test('given Node.js, when WebGPU kernels are measured, then right, wrong and endless ones are told apart', { timeout: 120_000 }, async () => {
  const service = await FakeService.start(dist), agent = new NodeProcess(dist, service.pageOf('webgpu'));
  try {
    const { devices: [device] } = await service.hello();
    assert.equal(device?.fingerprint.browser, 'node');
    assert.equal(device.fingerprint.target, 'webgpu');
    assert.match(device.fingerprint.backend, /^dawn \d/);
    assert.equal(device.timer.method, 'timestamp');
    assert.ok(device.timer.quantum_ns > 0 && device.timer.quantum_ns < 1000, `${device.timer.quantum_ns} ns`);
    // SwiftShader's subgroups have four threads in the order of the invocations, which the agent has measured.
    assert.ok(device.fingerprint.features.includes('subgroups'));
    assert.equal(device.fingerprint.limits['linearSubgroupSize'], 4);
    await service.openSession();
    await assertKernelsToldApart(service);
    await assertCacheStatesToldApart(service);
    await assertWrongLaterIsFound(service);
    // Not every build of Dawn has it yet.
    if (device.fingerprint.features.includes('subgroup-size-control')) await assertSubgroupsAreAskedFor(service, 4);
    assert.ok(await roundTripMs(service, 20) < round_trip_ms_max);
    const outcomes = await measureKernels(service, 2, [endless, right]);
    assert.deepEqual(outcomes.map(r => r.outcome), ['timeout', 'ok'], outcomes.map(r => r.message).join('\n'));
  } finally {
    await agent.close();
    service.close();
  }
});
