// What a person sees when the page cannot work.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';

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

test('given an insecure origin, when opened, then the page says that it needs a secure context', async () => {
  await shown(service.pageOf('webgpu').replace('127.0.0.1', 'insecure.test'), /not a secure context[\s\S]*https/);
});

test('given a browser without an adapter and no word on the target, when opened, then the page brings WebAssembly and says why', async () => {
  await shown(service.page, /So this page brings WebAssembly/);
  const hello = await service.hello();
  assert.deepEqual(hello.devices.map(device => device.target), ['wasm']);
});
