import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeScheduler, settle } from '../../test/fake_scheduler.ts';
import { batch, candidate, fingerprint, launch } from '../../test/samples.ts';
import { Agent, type AgentPicture } from './agent.ts';
import { Trackers } from './trackers.ts';
import type { Channel, ChannelEvents, Connect } from './channel.ts';
import type { FromDevice, ToDevice } from './device_link.ts';
import { emptyResult } from './result.ts';
import { success } from './outcome.ts';
import type { ControlFromAgent, ControlFromTracker, Execute, Message, OpenSession, SessionFromAgent, SessionFromServer } from '../generated/protocol.ts';

// The far end of every connection that the agent opens.
class FarEnd<Out extends Message, In extends Message> {
  readonly calls: { path: string; events: ChannelEvents<In>; sent: Out[]; payloads: (Uint8Array | undefined)[]; closed: boolean }[] = [];
  readonly connect: Connect<Out, In> = (path, events): Channel<Out> => {
    const call = { path, events, sent: [] as Out[], payloads: [] as (Uint8Array | undefined)[], closed: false };
    this.calls.push(call);
    const send = (message: Out, payload?: Uint8Array): void => void [call.sent.push(message), call.payloads.push(payload)];
    return { send, close: () => { call.closed = true; } };
  };
  get last(): FarEnd<Out, In>['calls'][number] {
    const call = this.calls.at(-1);
    assert.ok(call);
    return call;
  }
  kinds(): string[] {
    return this.last.sent.map(message => message.kind);
  }
}

class World {
  readonly scheduler = new FakeScheduler();
  readonly tracker = new FarEnd<ControlFromAgent, ControlFromTracker>();
  readonly server = new FarEnd<SessionFromAgent, SessionFromServer>();
  readonly trackers = new Trackers('http://a:1');
  readonly to_device: ToDevice[] = [];
  from_device: (message: FromDevice) => void = () => {};
  picture: AgentPicture | undefined;
  readonly tokens: string[] = [];   // that it was given
  readonly agent: Agent;

  constructor(shown: { token: string; code: string | undefined } = { token: 'k', code: undefined }) {
    this.agent = new Agent({
      identity: { ...shown, agent_name: 'n', launch_id: 'l', resume: undefined },
      launch_flags: ['--x'], physical_id: 'a'.repeat(32), scheduler: this.scheduler, random: () => 0, group_max: 4, choice: { target: 'best', clock: 'best', threads_max: 0, without: [] },
      trackers: this.trackers, connectControl: this.tracker.connect, connectSession: this.server.connect,
      spawnDevice: say => {
        this.from_device = say;
        return { post: message => this.to_device.push(message), terminate: () => {} };
      },
      fetchBlob: async () => success(new ArrayBuffer(4)),
      onPicture: picture => { this.picture = picture; },
      onResume: () => {},
      onToken: token => this.tokens.push(token),
    });
  }

  openDevice(): void {
    this.from_device({ kind: 'opened', fingerprint, timer: { method: 'timestamp', quantum_ns: 1 }, reference_us: 1000, note: '' });
  }

  connectControl(): void {
    this.tracker.last.events.onOpen();
    const hello = this.tracker.last.sent[0];
    assert.equal(hello?.kind, 'hello');
    const devices = hello.devices.map(device => ({ local_id: device.local_id, device_id: 'd', device_key: 'f' }));
    this.tracker.last.events.onMessage({ kind: 'welcome', reply_to: 1, agent_id: 'a', resume_secret: 'r', devices, heartbeat_ms: 1000, heartbeat_timeout_ms: 5000 });
  }

  connected(): void {
    this.agent.start();
    this.openDevice();
    this.connectControl();
  }

  openSession(lease = 'lease', session_token = 's1', blobs?: true): void {
    const open: OpenSession = { kind: 'open_session', lease_id: lease, fence: 1, device_id: 'd', session_path: '/ws/session', session_token };
    this.tracker.last.events.onMessage(open);
    this.server.last.events.onOpen();
    this.server.last.events.onMessage({ kind: 'session_welcome', reply_to: 1, session_id: 'x', credits: 8, ...(blobs && { blobs }) });
  }

  async prepare(): Promise<void> {
    this.server.last.events.onMessage({ kind: 'prepare_task', id: 3, task: 't', buffers: [], expected: { outputs: [{ sha256: '0', bytes: 4, largest: 1, median: 1 }] }, tolerance: 1, name: 'matmul 8x8x8' });
    await settle();
    this.from_device({ kind: 'prepared', task: 't' });
    await settle();
  }

  finishAll(): void {
    const run = this.to_device.filter(message => message.kind === 'run').at(-1);
    assert.equal(run?.kind, 'run');
    for (const item of run.items) this.from_device({ kind: 'result', result: emptyResult(item, 'ok', '') });
    this.from_device({ kind: 'done' });
  }
}

test('given a fresh agent, when its device is open, then hello carries the token, the launch, the device and its flags; not before', () => {
  const world = new World();
  world.agent.start();
  assert.equal(world.tracker.calls.length, 0);
  world.openDevice();
  world.connectControl();
  const hello = world.tracker.last.sent[0];
  assert.ok(hello?.kind === 'hello');
  assert.deepEqual([hello.token, hello.launch_id, hello.devices[0]?.fingerprint, hello.devices[0]?.launch_flags], ['k', 'l', fingerprint, ['--x']]);
  assert.equal(world.tracker.last.path, '/ws/agent');
});

test('given a browser without WebGPU, when probed, then the agent still says hello, with no device', () => {
  const world = new World();
  world.agent.start();
  world.from_device({ kind: 'unavailable', reason: 'No.', remedy: 'Do.' });
  world.tracker.last.events.onOpen();
  const hello = world.tracker.last.sent[0];
  assert.ok(hello?.kind === 'hello');
  assert.deepEqual(hello.devices, []);
});

test('given a connected agent, when time passes, then it beats; when no beat is answered for too long, then it connects anew and resumes its id', async () => {
  const world = new World();
  world.connected();
  await world.scheduler.advance(3000);
  assert.equal(world.tracker.kinds().filter(kind => kind === 'heartbeat').length, 4);
  await world.scheduler.advance(4000);
  assert.equal(world.tracker.calls.length, 2);
  assert.equal(world.tracker.calls[0]?.closed, true);
  world.tracker.last.events.onOpen();
  const hello = world.tracker.last.sent[0];
  assert.ok(hello?.kind === 'hello');
  assert.equal(hello.resume_agent_id, 'a');
  assert.equal(hello.resume_secret, 'r');
});

test('given a code, when the agent says hello, then it shows it until it has a token of its own, which it shows from then on, to be kept before anything else is said', async () => {
  const world = new World({ token: 'old', code: 'c' });
  world.agent.start();
  world.openDevice();
  const hello = (): unknown[] => {
    world.tracker.last.events.onOpen();
    const [first] = world.tracker.last.sent;
    assert.ok(first?.kind === 'hello');
    return [first.token, first.enroll_code];
  };
  assert.deepEqual(hello(), ['old', 'c']);
  world.tracker.last.events.onClose('the socket broke before the answer');
  await world.scheduler.advance(10_000);
  assert.deepEqual(hello(), ['old', 'c']);
  world.tracker.last.events.onMessage({ kind: 'welcome', reply_to: 1, agent_id: 'a', devices: [], heartbeat_ms: 1000, heartbeat_timeout_ms: 5000, token: 'own', role: 'agent' });
  assert.deepEqual(world.tokens, ['own']);
  assert.equal(world.agent.token, 'own');
  world.tracker.last.events.onClose('the service was killed');
  await world.scheduler.advance(10_000);
  assert.deepEqual(hello(), ['own', undefined]);
  assert.equal(world.picture?.control.role, 'agent');
});

test('given a token that is revoked while the agent is connected, when it is told and closed, then it does not come back', async () => {
  const world = new World();
  world.connected();
  world.tracker.last.events.onMessage({ kind: 'error', code: 'unauthorized', message: 'the token was revoked; ask for another one' });
  world.tracker.last.events.onClose('closed', 4003);
  await world.scheduler.advance(60_000);
  assert.equal(world.tracker.calls.length, 1);
  assert.equal(world.picture?.control.state, 'refused');
});

test('given a refused token, when the socket closes, then the agent does not come back and the picture says so', async () => {
  const world = new World();
  world.agent.start();
  world.openDevice();
  world.tracker.last.events.onOpen();
  world.tracker.last.events.onMessage({ kind: 'error', code: 'unauthorized', message: 'the token is wrong' });
  world.tracker.last.events.onClose('closed');
  await world.scheduler.advance(60_000);
  assert.equal(world.tracker.calls.length, 1);
  assert.equal(world.picture?.control.state, 'refused');
});

test('given a stuck device, when the agent beats, then it says that its worker is not alive', async () => {
  const world = new World();
  world.connected();
  world.from_device({ kind: 'lost', reason: 'gone' });
  await world.scheduler.advance(4000);
  world.tracker.last.events.onMessage({ kind: 'heartbeat_ack', seq: 4 });
  await world.scheduler.advance(2000);
  const beats = world.tracker.calls.flatMap(call => call.sent).filter(message => message.kind === 'heartbeat');
  assert.equal(beats.at(-1)?.kind === 'heartbeat' && beats.at(-1)?.worker_alive, false);
  assert.equal(beats[0]?.worker_alive, true);
});

test('given a session, when a task is prepared and measured, then results and batch_done come back, and an acknowledged result is not sent again', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  await world.prepare();
  world.server.last.events.onMessage(batch(5, [1, 2]));
  world.finishAll();
  assert.deepEqual(world.server.kinds(), ['session_hello', 'task_ready', 'result', 'result', 'batch_done']);
  world.server.last.events.onMessage({ kind: 'result_ack', trial: 1, attempt: 0 });
  await world.scheduler.advance(5500);
  const results = world.server.last.sent.filter(message => message.kind === 'result').map(message => message.trial);
  assert.deepEqual(results, [1, 2, 2]);
});

test('given a task with a name, when it is measured, then the picture has the name and the trials\' count, also when the session is over', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  await world.prepare();
  world.server.last.events.onMessage(batch(5, [9_007_199_254_740_000, 9_007_199_254_740_001]));
  await world.scheduler.advance(300);
  assert.deepEqual([world.picture?.task, world.picture?.task_name], ['t', 'matmul 8x8x8']);
  world.finishAll();
  world.server.last.events.onMessage({ kind: 'release' });
  await world.scheduler.advance(300);
  assert.deepEqual([world.picture?.task, world.picture?.task_name], ['', 'matmul 8x8x8']);
  assert.deepEqual(world.picture?.recent.map(({ number, task_name }) => [number, task_name]), [[2, 'matmul 8x8x8'], [1, 'matmul 8x8x8']]);
});

test('given an agent that another connection replaced, when it comes back, then it is a new one; after any other loss the same one', async () => {
  for (const [code, resumed] of [[4001, undefined], [1006, 'a']] as const) {
    const world = new World();
    world.connected();
    world.tracker.last.events.onClose('closed', code);
    await world.scheduler.advance(5000);
    world.tracker.last.events.onOpen();
    const hello = world.tracker.last.sent[0];
    assert.ok(hello?.kind === 'hello');
    assert.equal(hello.resume_agent_id, resumed);
  }
});

test('given a batch of modules, when measured, then each candidate goes to the device with its own; a payload of another size ends the connection', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  await world.prepare();
  const frame = batch(5, [1, 2], { candidates: [1, 2].map(trial => candidate(trial, { launches: [{ ...launch, module_bytes: trial }] })) });
  world.server.last.events.onMessage(frame, Uint8Array.of(7, 8, 9));
  const run = world.to_device.find(message => message.kind === 'run');
  assert.deepEqual(run?.items.map(item => item.modules.map(bytes => [...bytes])), [[[7]], [[8, 9]]]);
  world.finishAll();
  world.server.last.events.onMessage({ ...frame, batch: 6 }, Uint8Array.of(7));
  assert.equal(world.server.kinds().at(-1), 'error');
  assert.ok(world.server.last.closed);
  await world.scheduler.advance(5000);
  assert.equal(world.server.calls.length, 2);
});

test('given a lost session socket, when it opens again, then unacknowledged results go out again and work of the old socket does not', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  await world.prepare();
  world.server.last.events.onMessage(batch(5, [1]));
  world.finishAll();
  world.server.last.events.onMessage(batch(6, [2, 3, 4, 5, 6]));
  world.server.last.events.onClose('reset');
  await world.scheduler.advance(300);
  assert.equal(world.server.calls.length, 2);
  world.server.last.events.onOpen();
  world.server.last.events.onMessage({ kind: 'session_welcome', reply_to: 1, session_id: 'x', credits: 8 });
  world.finishAll();
  assert.deepEqual(world.server.last.sent.filter(message => message.kind === 'result').map(message => message.trial), [1]);
});

test('given a session token that was used up, when the server refuses it, then the agent waits for the tracker\'s next open_session', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  world.server.last.events.onClose('reset');
  await world.scheduler.advance(300);
  world.server.last.events.onOpen();
  world.server.last.events.onMessage({ kind: 'error', code: 'unauthorized', message: 'used' });
  await world.scheduler.advance(60_000);
  assert.equal(world.server.calls.length, 2);
  world.openSession('lease', 's2');
  const hello = world.server.last.sent[0];
  assert.ok(hello?.kind === 'session_hello');
  assert.equal(hello.session_token, 's2');
});

test('given a session, when the lease is closed, then the socket closes and the device\'s tasks are freed', () => {
  const world = new World();
  world.connected();
  world.openSession();
  world.tracker.last.events.onMessage({ kind: 'close_session', lease_id: 'lease', reason: 'expired' });
  assert.equal(world.server.last.closed, true);
  assert.equal(world.to_device.at(-1)?.kind, 'release');
});

test('given an execute frame, when the device has run the plan, then the answer carries the times and the outputs of that connection only', async () => {
  const world = new World();
  world.connected();
  world.openSession();
  const upload = { buffer: 0, sha256: 'aa', bytes: 4 };
  const frame: Execute = {
    kind: 'execute', id: 9, buffers: [16], kernels: [{ sha256: 'bb', bytes: 4, writes: [true] }], launches: [], constants: [upload], inputs: [],
    outputs: [{ buffer: 0, bytes: 4 }], repeats: 1, cap_ms: 1000, model: 'm.onnx',
  };
  world.server.last.events.onMessage(frame);
  await settle();
  const message = world.to_device.at(-1);
  assert.ok(message?.kind === 'execute' && message.plan.constants[0]?.bytes.byteLength === 4);
  await world.scheduler.advance(300);
  assert.equal(world.picture?.model, 'm.onnx');
  const outputs = new Uint8Array([1, 2, 3, 4]).buffer;
  world.from_device({ kind: 'executed', id: message.id, execution: success({ outputs, create_ms: 5, first_ms: 2, run_ms: [1], kernel_ms: [0.5] }) });
  await settle();
  const answer = world.server.last.sent.at(-1);
  assert.ok(answer?.kind === 'executed');
  assert.deepEqual([answer.reply_to, answer.error, answer.run_ms, answer.kernel_ms], [9, undefined, [1], [0.5]]);
  assert.deepEqual(world.server.last.payloads.at(-1), new Uint8Array(outputs));
  await world.scheduler.advance(300);
  assert.equal(world.picture?.model, '');
});

test('given a server elsewhere that cannot be dialled, when it does not open in time, then the tracker\'s relay is dialled, and the server again where that does not open', async () => {
  const world = new World();
  world.connected();
  world.tracker.last.events.onMessage({ kind: 'open_session', lease_id: 'lease', fence: 1, device_id: 'd', session_path: 'ws://far:1/ws/session', relay_path: '/ws/relay', session_token: 's1' });
  await world.scheduler.advance(5_000);   // silence
  assert.equal(world.server.last.closed, true);
  await world.scheduler.advance(400);
  world.server.last.events.onClose('no way');
  await world.scheduler.advance(800);
  world.server.last.events.onClose('refused');
  await world.scheduler.advance(1_600);
  assert.deepEqual(world.server.calls.map(call => call.path), ['ws://far:1/ws/session', '/ws/relay', 'ws://far:1/ws/session', '/ws/relay']);
  world.server.last.events.onOpen();
  world.server.last.events.onMessage({ kind: 'session_welcome', reply_to: 1, session_id: 'x', credits: 8 });
  await world.scheduler.advance(60_000);
  assert.equal(world.server.calls.length, 4);
  assert.equal(world.server.last.closed, false);
});

test('given a server whose sessions carry blobs, when a task is prepared, then its reference is asked for there, and an error to that ends the task alone', async () => {
  const world = new World();
  world.connected();
  world.openSession('lease', 's1', true);
  const prepare = (id: number): void => world.server.last.events.onMessage(
    { kind: 'prepare_task', id, task: `t${id}`, buffers: [], expected: { outputs: [{ sha256: `a${id}`, bytes: 4, largest: 1, median: 1 }] }, tolerance: 1 });
  prepare(3);
  await settle();
  const ask = world.server.last.sent.at(-1);
  assert.ok(ask?.kind === 'fetch_blob' && ask.sha256 === 'a3' && ask.offset === 0);
  world.server.last.events.onMessage({ kind: 'blob', reply_to: ask.id }, new Uint8Array(4));
  await settle();
  assert.equal(world.to_device.at(-1)?.kind, 'prepare');
  prepare(4);
  await settle();
  const other = world.server.last.sent.at(-1);
  assert.ok(other?.kind === 'fetch_blob');
  world.server.last.events.onMessage({ kind: 'error', reply_to: other.id, code: 'not_found', message: 'no such blob' });
  await settle();
  const ready = world.server.last.sent.at(-1);
  assert.ok(ready?.kind === 'task_ready' && ready.reply_to === 4);
  assert.equal(ready.error?.code, 'not_found');
  assert.equal(world.server.last.closed, false);
});

test('an agent finds the tracker that has the farm', async () => {
  // Given an agent whose tracker told of another one, when its connection ends, then it dials the other one; when that one stands by and names a third, then it dials the third, and says hello there as
  // the agent that it was.
  const world = new World();
  world.connected();
  world.tracker.last.events.onMessage({
    kind: 'welcome', reply_to: 1, agent_id: 'a', resume_secret: 'r', devices: [], heartbeat_ms: 1000, heartbeat_timeout_ms: 5000, trackers: ['http://a:1', 'http://b:2'],
  });
  world.tracker.last.events.onClose('the machine is gone');
  assert.equal(world.trackers.current, 'http://b:2');
  await world.scheduler.advance(5000);
  world.tracker.last.events.onOpen();
  world.tracker.last.events.onMessage({ kind: 'error', reply_to: 1, code: 'busy', message: 'it stands by', tracker: 'http://c:3' });
  assert.equal(world.trackers.current, 'http://c:3');
  await world.scheduler.advance(5000);
  world.tracker.last.events.onOpen();
  const hello = world.tracker.last.sent[0];
  assert.equal(hello?.kind, 'hello');
  assert.equal(hello.resume_agent_id, 'a');
});
