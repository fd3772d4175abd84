// The real page in a real headless Chromium, against a service that speaks real frames over a real socket.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';
import { assertSubgroupsAreAskedFor } from './webgpu_outcomes.ts';
import type { Candidate, CandidateResult, Launch, Measure, SessionFromAgent } from '../src/generated/protocol.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const task = 'ab'.repeat(16);
const product = new SquareProduct(64);

let service: FakeService;
let chromium: Chromium;
let next_batch = 1;
let next_trial = 1;

before(async () => {
  service = await FakeService.start(dist);
  chromium = await Chromium.launch();
  await chromium.open(service.page);
  await service.hello();
  await service.openSession();
  assert.equal((await prepare(7)).error, undefined);
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  service.close();
});

function prepare(id: number, buffers = product.buffers()): ReturnType<FakeService['prepare']> {
  const expected = service.expected(product.reference());
  return service.prepare({ kind: 'prepare_task', id, task, buffers, expected, tolerance: 1e-5 });
}

function batchOf(candidates: readonly Candidate[]): Measure {
  return { kind: 'measure', batch: next_batch++, fence: 1, task, policy, candidates };
}

function kernels(...launches: Launch[]): Candidate[] {
  return launches.map(launch => candidate(next_trial++, { launches: [launch] }));
}

async function outcomes(candidates: readonly Candidate[]): Promise<CandidateResult[]> {
  return service.measure(batchOf(candidates));
}

test('given Chromium\'s software adapter, which has control of subgroups\' sizes, when kernels ask for its size and for another one, then the first are right and the others refused', async () => {
  await assertSubgroupsAreAskedFor(service, 4);
  assert.equal((await prepare(8)).error, undefined);
});

test('given Chromium on software, when it says hello, then the fingerprint names adapter, browser, limits and a clock with its step', async () => {
  const { devices: [device], launch_id } = await service.hello();
  assert.ok(device);
  assert.equal(launch_id, 'test');
  assert.equal(device.fingerprint.target, 'webgpu');
  assert.equal(device.fingerprint.browser, 'chromium');
  assert.ok(device.fingerprint.browser_major >= 113);
  assert.ok((device.fingerprint.limits['maxComputeInvocationsPerWorkgroup'] ?? 0) >= 256);
  assert.deepEqual(device.fingerprint.features.filter(name => name.startsWith('chromium-experimental-')), [], 'no user has those');
  assert.equal(device.timer.method, 'timestamp');
  assert.ok(device.timer.quantum_ns > 0 && device.timer.quantum_ns <= 1e5, `${device.timer.quantum_ns}`);
});

test('given a right kernel among bad ones, when measured, then each bad one has its own outcome and only the right one a time', async () => {
  const right = product.launch();
  const results = await outcomes(kernels(
    right,
    product.launch({ sum: `sum += a[i * 64u + k] * b[j * 64u + k];` }),
    product.launch({ prologue: 'if (i >= 32u) { return; }' }),
    product.launch({ store: 'if (a[0] > 9.0) { c[0] = sum; }' }),
    product.launch({ store: 'c[i] = nonsense;' }),
    { ...right, bindings: right.bindings.slice(0, 2) },
    { ...right, grid: [100_000, 1, 1] },
    { ...right, bindings: right.bindings.map(binding => ({ ...binding, bytes: 1 << 20 })) },
  ));
  assert.deepEqual(results.map(r => r.outcome), [
    'ok', 'wrong_output', 'not_written', 'not_written', 'compile_error', 'validation_error', 'validation_error', 'validation_error',
  ]);
  const [ok, ...bad] = results;
  assert.ok(ok && ok.latency_us_median > 0 && ok.samples_us.length === 3 && ok.max_error < 1e-5 && ok.reference_us > 0 && ok.create_ms > 0);
  assert.ok(ok.repeats >= 1);   // how often: timing_ladder.test.ts, whose clock no load disturbs
  for (const result of bad) {
    assert.equal(result.latency_us_median, 0, result.outcome);
    assert.notEqual(result.message, '', result.outcome);
  }
  assert.match(results[4]?.message ?? '', /nonsense/);
});

test('given a kernel that was measured, when it is measured again, twice at once, then it is right each time, and one of the two is not created again', async () => {
  const launch = product.launch({ prologue: 'if (i >= 64u) { return; }' }), [first] = await outcomes(kernels(launch)), again = await outcomes(kernels(launch, launch));
  assert.ok(first && first.create_ms > 0);
  assert.deepEqual([first, ...again].map(r => r.outcome), ['ok', 'ok', 'ok']);
  assert.equal(again.filter(r => r.create_ms === 0).length, 1);
});

test('given buffers in other layouts, when a kernel follows them, then it is right, and when it ignores them, wrong', async () => {
  // a: columns first. c: rows in blocks of 48, so 32 pad rows in the second block, which must be zero.
  const [a, b, c] = product.buffers();
  assert.ok(a && b && c);
  const blocked = { ...c, dims: [[0, 48, 2], [0, 1, 48], [1, 1, 64]] as [number, number, number][], pad: 'zero' as const, bytes: 96 * 64 * 4 };
  assert.equal((await prepare(8, [{ ...a, dims: [[1, 1, 64], [0, 1, 64]] }, b, blocked])).error, undefined);
  const follows = product.launch({ sum: 'sum += a[k * 64u + i] * b[k * 64u + j];', store: 'c[i * 64u + j] = select(0.0, sum, i < 64u);' });
  const tall: Launch = {
    ...follows, code: follows.code.replace('c: array<f32, 4096>', 'c: array<f32, 6144>'), grid: [8, 12, 1],
    bindings: follows.bindings.map(binding => (binding.position === 2 ? { ...binding, bytes: 96 * 64 * 4 } : binding)),
  };
  const dirty: Launch = { ...tall, code: tall.code.replace('select(0.0, sum, i < 64u)', 'select(1.0, sum, i < 64u)') };
  const results = await outcomes(kernels(tall, dirty, product.launch()));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'not_written']);
  assert.match(results[1]?.message ?? '', /pad/);
  assert.equal((await prepare(9)).error, undefined);
});

test('given a candidate of two launches with a scratch buffer between, when measured, then both run in order', async () => {
  const size = 64 * 64;
  const double: Launch = {
    code: `@group(0) @binding(0) var<storage, read> a: array<f32, ${size}>;
@group(0) @binding(1) var<storage, read_write> t: array<f32, ${size}>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { t[id.x] = 2.0 * a[id.x]; }`,
    module_bytes: 0, scratch_bytes: 0, grid: [64, 1, 1], threads: [64, 1, 1],
    bindings: [{ kind: 'arg', position: 0, writes: false, bytes: size * 4 }, { kind: 'temp', position: 0, writes: true, bytes: size * 4 }],
  };
  const halve = product.launch({ sum: 'sum += 0.5 * a[i * 64u + k] * b[k * 64u + j];' });
  const second: Launch = { ...halve, bindings: halve.bindings.map(b => (b.position === 0 ? { ...b, kind: 'temp' as const } : b)) };
  const [result] = await outcomes([candidate(next_trial++, { temps: [size * 4], launches: [double, second] })]);
  assert.equal(result?.outcome, 'ok', result?.message);
});

test('given a task whose reference is missing or whose type is unknown, when prepared, then task_ready says why', async () => {
  const missing = await service.prepare({
    kind: 'prepare_task', id: 20, task: 'cd'.repeat(16), buffers: product.buffers(), expected: { outputs: [{ sha256: '0'.repeat(64), bytes: 4, largest: 1, median: 1 }] }, tolerance: 1e-5,
  });
  assert.equal(missing.error?.code, 'not_found');
  const buffers = product.buffers().map(buffer => ({ ...buffer, dtype: 'f64' }));
  const expected = service.expected(product.reference());
  const unknown = await service.prepare({ kind: 'prepare_task', id: 21, task: 'ef'.repeat(16), buffers, expected, tolerance: 1e-5 });
  assert.equal(unknown.error?.code, 'unsupported');
});

test('given results that nobody acknowledged, when the session socket breaks, then they come again on the next one', async () => {
  service.acknowledge = false;
  const [{ trial } = { trial: 0 }] = await outcomes(kernels(product.launch()));
  const seen = service.session.all.length;
  service.acknowledge = true;
  service.session_socket?.terminate();
  await service.session.next((m): m is SessionFromAgent => m.kind === 'result' && m.trial === trial && service.session.all.indexOf(m) >= seen);
  assert.equal((await prepare(30)).error, undefined);
  assert.equal((await outcomes(kernels(product.launch())))[0]?.outcome, 'ok');
});

test('given a lost control socket, when it comes back, then the agent resumes its id and beats again', async () => {
  const seen = service.control.all.length;
  service.control_socket?.terminate();
  const beat = await service.heartbeat(b => service.control.all.indexOf(b) >= seen);
  assert.equal(beat.worker_alive, true);
  const again = service.control.all.slice(seen).find(m => m.kind === 'hello');
  assert.ok(again?.kind === 'hello');
  assert.equal(again.resume_agent_id, 'agent-1');
  assert.equal(again.resume_secret, 'resume-1');
});

test('given a GPU process that dies, when the device is lost, then a new device takes up the tasks and the next kernels', { timeout: 60_000 }, async () => {
  const seen = service.control.all.length;
  await chromium.killGpuProcess();
  await service.control.next((m): m is typeof m => m.kind === 'device_state' && m.state === 'recovering' && service.control.all.indexOf(m) >= seen);
  const [result] = await outcomes(kernels(product.launch()));
  assert.equal(result?.outcome, 'ok', result?.message);
});

test('given a kernel that does not end, when its cap is over, then it is a timeout, and the agent says so when the GPU stays hung', { timeout: 60_000 }, async () => {
  const endless = product.launch({
    prologue: 'var spin = 0.0; for (var n = 0u; n < 4000000000u; n++) { spin = spin * 0.999 + a[n % 64u]; if (spin > 1e30) { break; } } c[0] = spin;',
  });
  const [bad, good] = kernels(endless, product.launch());
  assert.ok(bad && good);
  const fast = { ...policy, cap_ms: 2000 };
  service.toSession({ ...batchOf([bad, good]), policy: fast });
  const late = await service.session.next((m): m is CandidateResult => m.kind === 'result' && m.trial === bad.trial);
  assert.equal(late.outcome, 'timeout');
  assert.equal(late.latency_us_median, 0);
  const beat = await service.heartbeat(b => !b.worker_alive, 20_000);
  assert.equal(beat.worker_alive, false);
  await chromium.waitForText(/GPU has stopped answering/);
  assert.ok(!service.session.all.some(m => m.kind === 'result' && m.trial === good.trial), 'nothing is timed on a hung GPU');
});
