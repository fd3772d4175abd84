// OpenCL kernels on the agent in Node.js, with the runner that HONE_OPENCL_RUNNER names.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Candidate, CandidateResult, Execute, Hello, Launch } from '../src/generated/protocol.ts';
import { expectEachState, expectOwnCopies } from './cache_states.ts';
import { FakeService } from './fake_service.ts';
import { NodeProcess } from './node_process.ts';
import { candidate, policy } from './samples.ts';
import { SquareProduct } from './square_product.ts';
import { expectWrongLater } from './wrong_later.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const runner = process.env['HONE_OPENCL_RUNNER'] ?? '';
const skip = runner === '' && 'HONE_OPENCL_RUNNER names no runner';
const task = 'ab'.repeat(16), n = 64, bytes = n * n * 4;
const product = new SquareProduct(n);

let service: FakeService;
let agent: NodeProcess;
let next_batch = 1;
let next_trial = 1;

before(async () => {
  if (skip !== false) return;
  service = await FakeService.start(dist);
  agent = new NodeProcess(dist, service.pageOf('opencl'), [runner]);
  await service.hello();
  await service.openSession();
  const expected = service.expected(product.reference());
  assert.equal((await service.prepare({ kind: 'prepare_task', id: 7, task, buffers: product.buffers(), expected, tolerance: 1e-5 })).error, undefined);
}, { timeout: 60_000 });

after(async () => {
  if (skip !== false) return;
  await agent.close();
  service.close();
});

// The square product, a row of it per work-group; `guard` stands before it, `value` and `place` say what is stored where.
function kernel({ guard = '', value = 'sum', place = `y * ${n} + x`, b = `B[k * ${n} + x]` } = {}): Launch {
  const code = `__kernel __attribute__((reqd_work_group_size(${n}, 1, 1)))
void run_kernel(__global const float* restrict A, __global const float* restrict B, __global float* restrict C) {
  const int x = (int)get_local_id(0), y = (int)get_group_id(0);
  ${guard}
  float sum = 0.0f;
  for (int k = 0; k < ${n}; k++) sum += A[y * ${n} + k] * ${b};
  C[${place}] = ${value};
}
`;
  const bindings = [0, 1, 2].map(position => ({ kind: 'arg' as const, position, writes: position === 2, bytes }));
  return { code, module_bytes: 0, scratch_bytes: 0, grid: [n, 1, 1], threads: [n, 1, 1], bindings };
}

function kernels(...launches: Launch[]): Candidate[] {
  return launches.map(launch => candidate(next_trial++, { launches: [launch] }));
}

function measure(candidates: readonly Candidate[], cap_ms = policy.cap_ms): Promise<CandidateResult[]> {
  return service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: { ...policy, cap_ms }, candidates });
}

function told(results: readonly CandidateResult[]): string {
  return results.map(r => `${r.outcome}: ${r.message}`).join('\n');
}

test('given the target opencl, when the agent says hello, then it brings the driver\'s device with its limits and the device\'s clock', { skip }, async () => {
  const { devices: [device] } = await service.hello();
  assert.ok(device);
  assert.equal(device.target, 'opencl');
  assert.equal(device.fingerprint.browser, 'native');
  assert.notEqual(device.fingerprint.device, '');
  assert.ok(['gpu', 'cpu', 'accelerator'].includes(device.fingerprint.backend));
  assert.ok((device.fingerprint.launch_us ?? 0) > 0 && (device.fingerprint.launch_us ?? 0) < 1e5, `a launch costs ${device.fingerprint.launch_us} µs`);
  assert.ok((device.fingerprint.limits['MAX_WORK_GROUP_SIZE'] ?? 0) >= 64);
  assert.ok((device.fingerprint.limits['LOCAL_MEM_SIZE'] ?? 0) >= 16384);
  assert.equal(device.timer.method, 'clock');
});

test('given bad kernels among right ones, when measured, then each has its own outcome and words, and the right ones have times', { skip }, async () => {
  const right = kernel();
  const results = await measure(kernels(
    right,
    kernel({ value: '1.5f * sum' }),
    kernel({ guard: 'if (x == 3) return;' }),
    kernel({ place: `y * ${n} + x + 1` }),
    kernel({ guard: 'nonsense' }),
    { ...right, bindings: right.bindings.slice(0, 2) },
    { ...right, bindings: right.bindings.map(b => ({ ...b, writes: b.position !== 1 })) },
    { ...right, bindings: right.bindings.map(b => ({ ...b, bytes: 2 * bytes })) },
    { ...right, bindings: right.bindings.map(b => ({ ...b, position: b.position + 1 })) },
    { ...right, grid: [0, 1, 1] },
    right,
  ));
  const refused = Array.from({ length: 5 }, () => 'validation_error');
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output', 'not_written', 'wrong_output', 'compile_error', ...refused, 'ok'], told(results));
  assert.match(results[3]?.message ?? '', /wrote beside/);
  assert.match(results[4]?.message ?? '', /nonsense/);
  for (const r of results.filter(({ outcome }) => outcome !== 'ok')) assert.notEqual(r.message, '');
  for (const r of results.filter(({ outcome }) => outcome === 'ok')) assert.ok(r.latency_us_median > 0 && r.max_error < 1e-5 && r.reference_us > 0 && r.create_ms > 0 && r.method === 'clock');
});

test('given policies of each state of the caches, when measured, then results say in which one they were taken, and what the other one gives', { skip }, async () => {
  await expectEachState(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: kernels(kernel()) }));
});

test('given a kernel whose scratch memory tells it that it ran before, when it is wrong from then on, then it has no time', { skip }, async () => {
  const { code, ...launch } = kernel({ value: 'x + y == 0 && *ran_before == 1.0f ? 9.0f : sum' });
  const keeping = {
    ...launch, code: code.replace('restrict C)', 'restrict C, __global float* ran_before)').replace(/}\n$/, '  if (x + y == 0) *ran_before = 1.0f;\n}\n'),
    bindings: [...launch.bindings, { kind: 'temp' as const, position: 0, writes: true, bytes: 4 }],
  };
  await expectWrongLater(how => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: [candidate(next_trial++, { temps: [4], launches: [keeping] })] }));
});

test('given a candidate that wants a constant by columns, when measured, then it is right with that layout alone', { skip }, async () => {
  const launches = [kernel({ b: `B[x * ${n} + k]` })];
  const layout = { position: 1, dims: [[1, 1, n], [0, 1, n]] as const, bytes };
  const results = await measure([[layout], []].map(layouts => candidate(next_trial++, { launches, layouts })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'wrong_output'], told(results));
});

test('given candidates that want a constant in different layouts, when measured on copies, then each finds its own', { skip }, async () => {
  const by_columns = { position: 1, dims: [[1, 1, n], [0, 1, n]] as const, bytes };
  await expectOwnCopies([{ launches: [kernel()] }, { launches: [kernel({ b: `B[x * ${n} + k]` })], layouts: [by_columns] }], (all, how) => service.measure({ kind: 'measure', batch: next_batch++, fence: 1, task, policy: how, candidates: all.map(one => candidate(next_trial++, one)) }));
});

test('given scratch memory between two launches, when measured, then both run in order, and its poison shows where it is not written', { skip }, async () => {
  const first = kernel(), scratch = { kind: 'temp' as const, position: 0, bytes };
  const into = { ...first, bindings: [...first.bindings.slice(0, 2), { ...scratch, writes: true }] };
  const copy: Launch = {
    ...first, code: `__kernel __attribute__((reqd_work_group_size(${n}, 1, 1)))
void run_kernel(__global const float* restrict T, __global float* restrict C) { C[get_global_id(0)] = T[get_global_id(0)]; }`,
    bindings: [{ ...scratch, writes: false }, first.bindings[2]!],
  };
  const results = await measure([[into, copy], [copy, into]].map(launches => candidate(next_trial++, { temps: [bytes], launches })));
  assert.deepEqual(results.map(r => r.outcome), ['ok', 'not_written'], told(results));
});

function plan(id: number, more: Partial<Execute> = {}, code = kernel().code): Execute {
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const { grid } = kernel(), binding_bytes = [bytes, bytes, bytes];
  return {
    kind: 'execute', id, buffers: [bytes, bytes, bytes, bytes], textures: [],
    kernels: [{ ...service.addBlob(Buffer.from(code)), writes: [false, false, true] }],
    launches: [{ kernel: 0, grid, buffers: [0, 1, 2], binding_bytes }, { kernel: 0, grid, buffers: [2, 1, 3], binding_bytes }],
    constants: [{ buffer: 1, ...service.addBlob(Buffer.from(b.buffer)) }], inputs: [{ buffer: 0, ...service.addBlob(Buffer.from(a.buffer)) }],
    outputs: [{ buffer: 3, bytes }, { buffer: 2, bytes }], repeats: 0, cap_ms: 20_000, ...more,
  };
}

function times(a: Float32Array, b: Float32Array): Float32Array {
  return Float32Array.from({ length: n * n }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += (a[Math.floor(i / n) * n + k] ?? 0) * (b[k * n + i % n] ?? 0);
    return sum;
  });
}

test('given a plan of two products, when executed, then both outputs come back right, with the times of runs and launches', { skip }, async () => {
  const { executed, outputs } = await service.execute(plan(50, { repeats: 5 }));
  assert.equal(executed.error, undefined, executed.error?.message);
  const a = Float32Array.from({ length: n * n }, (_, i) => Math.sin(i)), b = Float32Array.from({ length: n * n }, (_, i) => Math.cos(i));
  const c = times(a, b), expected = [...times(c, b), ...c];
  assert.equal(outputs.length, expected.length);
  for (const [i, value] of expected.entries()) assert.ok(Math.abs((outputs[i] ?? NaN) - value) < 1e-2, `element ${i}`);
  assert.equal(executed.run_ms.length, 5);
  for (const [i, ms] of executed.run_ms.entries()) assert.ok(ms > 0 && (executed.kernel_ms[i] ?? Infinity) <= ms + 1);
});

test('given bad plans, when executed, then each has its own outcome, and a good one runs afterwards', { skip }, async () => {
  const { launches } = plan(51), [first] = launches;
  const bad: [Partial<Execute>, string?][] = [
    [{}, 'nonsense'],                                                  // compile_error
    [{ launches: launches.slice(0, 1) }],                              // not_written: nobody makes the first output
    [{ launches: [{ ...first!, buffers: [2, 1, 2] }] }],               // validation_error: it reads what it writes
    [{ launches: [{ ...first!, buffers: [0, 1] }] }],                  // validation_error: a binding is missing
    [{ buffers: [bytes, bytes, bytes, 16] }],                          // validation_error: the last buffer is too small
  ];
  const codes: (string | undefined)[] = [];
  for (const [i, [more, code]] of bad.entries()) codes.push((await service.execute(plan(60 + i, more, code))).executed.error?.code);
  assert.deepEqual(codes, ['compile_error', 'not_written', 'validation_error', 'validation_error', 'validation_error']);
  assert.equal((await service.execute(plan(70))).executed.error, undefined);
});

test('given a kernel that does not end, when its cap is over, then it is a timeout, and the next kernel runs in another runner', { timeout: 90_000, skip }, async () => {
  const results = await measure(kernels(kernel({ guard: 'for (volatile int i = 0; i >= 0;) {}' }), kernel()), 3000);
  assert.deepEqual(results.map(r => r.outcome), ['timeout', 'ok'], told(results));
});

test('given a runner that is killed, when the next kernel comes, then another runner has the task and measures it', { timeout: 60_000, skip }, async () => {
  const seen = service.control.all.length;
  const threads = `/proc/${agent.pid}/task`, children = readdirSync(threads).flatMap(thread => readFileSync(`${threads}/${thread}/children`, 'utf8').split(' ').filter(id => id !== ''));
  assert.ok(children.length > 0);
  for (const child of children) process.kill(Number(child), 'SIGKILL');   // among them may be one that has ended
  await service.control.next((m): m is typeof m => m.kind === 'device_state' && m.state === 'recovering' && service.control.all.indexOf(m) >= seen);
  const [result] = await measure(kernels(kernel()));
  assert.equal(result?.outcome, 'ok', result?.message);
});

test('given no runner where it should be, when the agent is started, then the service learns why there is no device and what to do', { timeout: 60_000, skip }, async () => {
  const alone = await FakeService.start(dist), lost = new NodeProcess(dist, alone.pageOf('opencl'), ['./no_such_runner']);
  try {
    const { devices, problem } = await alone.control.next((m): m is Hello => m.kind === 'hello');
    assert.deepEqual(devices, []);
    assert.match(problem ?? '', /no_such_runner cannot be started.*pocl-opencl-icd.*hone doctor/);
  } finally {
    await lost.close();
    alone.close();
  }
});
