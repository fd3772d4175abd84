// WebAssembly kernels on the real page in a real Firefox, where one is installed.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { findFirefox, Firefox } from './firefox.ts';
import { assertOutcomesToldApart } from './wasm_outcomes.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const program = findFirefox();
const skip = program === undefined ? 'no Firefox is installed' : false;

test('given Firefox, when kernels are measured, then right, wrong, trapping and endless ones are told apart', { skip, timeout: 120_000 }, async () => {
  const service = await FakeService.start(dist), firefox = Firefox.open(program ?? '', service.pageOf('wasm'));
  try {
    const { devices: [device] } = await service.hello();
    assert.equal(device?.fingerprint.browser, 'firefox');
    assert.ok(device.fingerprint.features.includes('simd128') && device.fingerprint.features.includes('threads'), device.fingerprint.features.join());
    await service.openSession();
    await assertOutcomesToldApart(service);
  } finally {
    await firefox.close();
    service.close();
  }
});
