// WebGPU kernels on the real page in a real Firefox, where one is installed with a driver for Vulkan.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { findFirefox, Firefox } from './firefox.ts';
import { assertHalvesAreRounded, assertKernelsToldApart, roundTripMs } from './webgpu_outcomes.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const program = findFirefox();
const skip = program === undefined ? 'no Firefox is installed' : false;
// By itself Firefox notices finished work every 100 ms (browser-runtime/src/device/webgpu/wait.ts). Ten times what a quiet machine needs.
const round_trip_ms_max = 25;

test('given Firefox, when WebGPU kernels are measured, then right and wrong ones are told apart, constants may be halves, and a run does not wait for a poll', { skip, timeout: 120_000 }, async () => {
  const service = await FakeService.start(dist), firefox = Firefox.open(program ?? '', service.pageOf('webgpu'));
  try {
    const { devices: [device] } = await service.hello();
    assert.equal(device?.fingerprint.browser, 'firefox');
    assert.equal(device.fingerprint.target, 'webgpu');
    await service.openSession();
    await assertKernelsToldApart(service);
    await assertHalvesAreRounded(service);
    const round_trip_ms = await roundTripMs(service, 20);
    assert.ok(round_trip_ms < round_trip_ms_max, `${round_trip_ms} ms`);
  } finally {
    await firefox.close();
    service.close();
  }
});
