// WebGL 2 kernels on the real page in a real Firefox, where one is installed: no timer queries there, another driver, another compiler.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FakeService } from './fake_service.ts';
import { findFirefox, Firefox } from './firefox.ts';
import { GlProduct } from './gl_product.ts';
import { candidate, policy } from './samples.ts';
import { VirtualDisplay } from './virtual_display.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const program = findFirefox();
const skip = program === undefined ? 'no Firefox is installed' : VirtualDisplay.available() ? false : 'there is no display, and no Xvfb';

test('given Firefox, when kernels of WebGL are measured, then right, wrong and unwritten ones are told apart, and times are slopes', { skip, timeout: 120_000 }, async () => {
  const display = await VirtualDisplay.open();
  process.env['DISPLAY'] = display.name;
  const service = await FakeService.start(dist), firefox = Firefox.open(program ?? '', service.pageOf('webgl'));
  try {
    const { devices: [device] } = await service.hello();
    assert.equal(device?.fingerprint.browser, 'firefox');
    assert.equal(device.timer.method, 'slope');
    await service.openSession();
    const product = new GlProduct(64), task = 'ab'.repeat(16);
    const expected = service.expected(product.reference());
    assert.equal((await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
    const launches = [{}, { layers: 4 }, { a_layers: 4 }, { value: '2.0 * sum' }, { guard: 'if (p.x == 3) { discard; }' }, { head: 'nonsense' }].map(options => product.glLaunch(options));
    const candidates = launches.map((launch, i) => candidate(i + 1, { launches: [launch] }));
    const results = await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy, candidates });
    assert.deepEqual(results.map(r => r.outcome), ['ok', 'ok', 'ok', 'wrong_output', 'not_written', 'compile_error'], results.map(r => r.message).join('\n'));
    assert.ok((results[0]?.latency_us_median ?? 0) > 0 && results[0]?.method === 'slope');
  } finally {
    await firefox.close();
    display.close();
    service.close();
  }
});
