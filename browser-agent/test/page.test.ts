// What a person sees: a page that cannot work, and one that works, on any screen.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { multiplyF32, f32 } from './wasm_module.ts';
import { WasmProduct } from './wasm_product.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');

let service: FakeService;
let chromium: Chromium;

before(async () => {
  service = await FakeService.start(dist);
  chromium = await Chromium.launch({ webgpu: false, extra: ['--disable-software-rasterizer'] });
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  service.close();
});

afterEach(() => chromium.closeTab());

async function shown(url: string, expected: RegExp): Promise<void> {
  await chromium.open(url);
  await chromium.waitForText(expected);
}

test('given an address without a token, when opened, then the page says which address is needed', async () => {
  await shown(`${service.origin}/agent/`, /lacks its token[\s\S]*Open the whole URL that hone up printed/);
});

test('given a browser without an adapter, when opened, then the page says why and what to do, and the agent still connects without a device', async () => {
  await shown(service.pageOf('webgpu'), /no adapter|no WebGPU/i);
  const hello = await service.control.next((m): m is typeof m => m.kind === 'hello');
  assert.ok(hello.kind === 'hello' && hello.devices.length === 0);
});

test('given a browser without WebGL, when opened for it, then the page says why and what works instead', async () => {
  await shown(service.pageOf('webgl'), /no WebGL 2 context[\s\S]*target=wasm/);
});

test('given a wrong token, when opened, then the page says that the service refused it', async () => {
  await shown(`${service.origin}/agent/#token=bad`, /refused this page/);
});

test('given an insecure origin, when opened, then the page says that WebGPU is hidden, and what to do', async () => {
  await shown(service.pageOf('webgpu').replace('127.0.0.1', 'insecure.test'), /plain http[\s\S]*hides WebGPU[\s\S]*https/);
});

test('given a browser without an adapter and no word on the target, when opened, then the page brings WebAssembly and says why', async () => {
  await shown(service.page, /So this page brings WebAssembly/);
  const hello = await service.hello();
  assert.deepEqual(hello.devices.map(device => device.target), ['wasm']);
});

async function assertFits(state: string): Promise<void> {
  for (const width of [360, 412, 1280]) {
    await chromium.resize(width);
    const needed = await chromium.evaluate('document.documentElement.scrollWidth');
    assert.ok(typeof needed === 'number' && needed <= width, `${state}: ${String(needed)} wide on a screen of ${width}`);
  }
}

test('given a page that waits for a job, when its command is clicked, then it is copied whole, and it fits every screen', async () => {
  await chromium.open(service.pageOf('wasm'));
  await chromium.waitForText(/Ready for/);
  await assertFits('idle');
  const shown = await chromium.evaluate(`document.querySelector('.command code').textContent`);
  assert.equal(shown, `hone tune MODEL.onnx --tracker '${service.origin}/agent/#token=${service.page.replace(/.*token=([0-9a-f]+).*/, '$1')}' --target wasm`);
  await chromium.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
  await chromium.send('Page.bringToFront', {}, true);
  await chromium.evaluate(`document.querySelector('.command button').click()`);
  await chromium.waitForText(/Copied/);
  assert.equal(await chromium.evaluate('navigator.clipboard.readText()'), shown);
});

test('given a browser that gives no clipboard, when the command is clicked, then its text is selected', async () => {
  await chromium.open(`${service.origin.replace('127.0.0.1', 'insecure.test')}/agent/${new URL(service.pageOf('wasm')).hash}`);
  await chromium.waitForText(/Ready for/);
  await chromium.evaluate(`document.querySelector('.command button').click()`);
  await chromium.waitForText(/Copied|Selected/);
  assert.match(String(await chromium.evaluate('getSelection().toString()')), /^hone tune MODEL\.onnx --tracker '.*'/);
});

test('given a task of a long name, when it is measured, then the page shows the name and a small number of each trial, and fits every screen', { timeout: 60_000 }, async () => {
  const name = `conv 1x512x56x56 2048x512x3x3 s1 p1${' + mul + add'.repeat(12)}`, product = new WasmProduct(64, true), task = 'ab'.repeat(16);
  await chromium.open(service.pageOf('wasm'));
  await chromium.waitForText(/Ready for/);
  await service.openSession();
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 1, task, buffers: product.buffers(), expected, tolerance: 1e-5, name })).error, undefined);
  const kernels = [product.kernel(), product.kernel({ value: sum => multiplyF32(sum, f32(2)) })];
  const candidates = kernels.map(({ launch }, i) => candidate(9_007_199_254_740_000 + i, { launches: [launch] }));
  await service.measure({ kind: 'measure', batch: 1, fence: 1, task, policy, candidates }, Buffer.concat(kernels.map(({ module }) => module)));
  await chromium.waitForText(/wrong output/);
  const text = String(await chromium.evaluate('document.body.textContent'));
  assert.ok(text.includes(name));
  assert.doesNotMatch(text, /900719925474000|abababab/);
  await assertFits('with results');
});
