// A tab is one device: when it is reloaded, duplicated and closed.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService, type AgentEvent } from './fake_service.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');

let service: FakeService;
let chromium: Chromium;

before(async () => {
  chromium = await Chromium.launch({ webgpu: false });
}, { timeout: 60_000 });

after(() => chromium.close());

beforeEach(async () => {
  service = await FakeService.start(dist);
});

afterEach(() => service.close());

// A page that no launcher opened, so that only its tab tells who it is.
function page(origin = service.origin): string {
  return `${origin}/agent/#token=${service.page.replace(/.*token=([0-9a-f]+).*/, '$1')}&target=wasm`;
}

// Resolves with the name of the agent that comes next, not counting the first `seen` events.
async function comes(seen: number): Promise<string> {
  const { agent_id } = await service.agents.next((event): event is AgentEvent => event.what === 'came' && service.agents.all.indexOf(event) >= seen);
  await chromium.waitForText(/Ready for/);
  return agent_id;
}

test('given a tab, when it is reloaded, again and again, then it is the same device', { timeout: 60_000 }, async () => {
  await chromium.open(page());
  const first = await comes(0);
  for (let i = 0; i < 3; i++) {
    const seen = service.agents.all.length;
    await chromium.reload();
    assert.equal(await comes(seen), first);
  }
});

test('given a tab, when it is duplicated, then the other one is another device, and each stays itself when it is reloaded', { timeout: 60_000 }, async () => {
  await chromium.open(page());
  const first = await comes(0), elder = chromium.tab;
  await chromium.duplicate();
  const second = await comes(1), younger = chromium.tab;
  assert.notEqual(second, first);
  assert.deepEqual(service.agents.all, [{ what: 'came', agent_id: first }, { what: 'came', agent_id: second }], 'nobody was put out');
  for (const [tab, name] of [[elder, first], [younger, second]] as const) {
    const seen = service.agents.all.length;
    chromium.tab = tab;
    await chromium.reload();
    assert.equal(await comes(seen), name);
  }
});

test('given a page without locks, when its tab is duplicated, then there are two devices, and neither puts the other out for ever', { timeout: 60_000 }, async () => {
  await chromium.open(page(service.origin.replace('127.0.0.1', 'insecure.test')));
  const first = await comes(0), elder = chromium.tab;
  assert.equal(await chromium.evaluate('"locks" in navigator'), false);
  await chromium.duplicate();
  assert.equal(await comes(1), first, 'nobody can tell it from a reloaded one');
  const second = await comes(2), younger = chromium.tab;
  assert.deepEqual(service.agents.all.map(event => event.agent_id), [first, first, second], 'the elder came back once, as another one');
  for (const [tab, name] of [[elder, second], [younger, first]] as const) {
    const seen = service.agents.all.length;
    chromium.tab = tab;
    await chromium.reload();
    assert.equal(await comes(seen), name);
  }
});

test('given a device in a session, when its tab is closed, then the service sees both sockets end', { timeout: 60_000 }, async () => {
  await chromium.open(page());
  const agent = await comes(0);
  await service.openSession();
  const session = new Promise<void>(done => service.session_socket?.once('close', () => done()));
  await chromium.closeTab();
  await service.agents.next((event): event is AgentEvent => event.what === 'left' && event.agent_id === agent);
  await session;
});

test('given a code, when a page is opened with it, then the page gets a token of its own, forgets the code, and comes back with the token: reloaded, without a fragment, and in another tab', { timeout: 60_000 }, async () => {
  service.codes.add('c');
  await chromium.open(`${service.origin}/agent/#enroll=c&target=wasm`);
  const first = await comes(0);
  const own = await chromium.evaluate("localStorage.getItem('hone.token')");
  assert.match(String(own), /^[0-9a-f]{32}$/);
  assert.equal(await chromium.evaluate('location.hash'), '#target=wasm');
  const shown = await chromium.evaluate(`document.querySelector('.command code').textContent`);
  assert.equal(shown, `hone tune MODEL.onnx --tracker '${service.origin}/agent/' --token-file FILE --target wasm`);
  await chromium.reload();
  assert.equal(await comes(1), first);
  await chromium.closeTab();
  const seen = service.agents.all.length;
  await chromium.open(`${service.origin}/agent/`);
  assert.notEqual(await comes(seen), first, 'another tab is another agent');
});

test('given a code that was used, when a page without a token is opened with it, then it says so and stays away; with a token it comes in', { timeout: 60_000 }, async () => {
  await chromium.open(`${service.origin}/agent/#enroll=used&target=wasm`);
  await chromium.waitForText(/refused this page/);
  assert.equal(service.agents.all.length, 0);
  await chromium.closeTab();
  service.codes.add('c');
  await chromium.open(`${service.origin}/agent/#enroll=c&target=wasm`);
  await comes(0);
  await chromium.closeTab();
  const seen = service.agents.all.length;
  await chromium.open(`${service.origin}/agent/#enroll=used&target=wasm`);
  await comes(seen);
});
