import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate } from '../../test/samples.ts';
import type { CheckReport, Comparison, Kernel, PreparedTask, TaskSpec } from '../device/backend.ts';
import type { Buffer } from '../generated/protocol.ts';
import { InputSets } from './input_sets.ts';
import { failure, success, type Attempt } from './outcome.ts';

const right: Comparison = { max_error: 1e-6, unwritten: 0, finding: 'worst at element 3 of y' };
const buffer: Buffer = { name: 'a', role: 'input', dtype: 'f32', shape: [4], dims: [], pad: 'any', bytes: 16, seed: 1n, low: -1, high: 1 };
const spec = (sets: number): TaskSpec => ({
  task: 't', buffers: [buffer], expected: [], tolerance: 1e-5, more_inputs: Array.from({ length: sets - 1 }, (_, i) => ({ buffers: [{ ...buffer, seed: BigInt(i + 2) }], expected: [] })),
});

// A backend whose kernel is found on each set of inputs, known by its seed, as `found` says. log: what was called, with the seed.
function backendOf(found: Record<string, Attempt<Comparison>>): { log: string[]; prepare(task: TaskSpec): Promise<Attempt<PreparedTask>> } {
  const log: string[] = [], report = (seed: bigint): Attempt<CheckReport> => {
    const one = found[String(seed)] ?? success(right);
    log.push(`check ${seed}`);
    return one.ok ? success({ ...one.value, first_ns: Number(seed) }) : one;
  };
  const kernel = (seed: bigint): Kernel => ({
    create_ms: 5, compiles_late: false, check: async () => report(seed), recheck: async () => report(seed), time: async () => success(1), rotating: async () => failure('out_of_memory', 'no room'), dispose: () => { log.push('kernel gone'); },
  });
  return {
    log,
    prepare: async ({ buffers: [first] }) => {
      const { seed } = first!;
      if (found[`prepare ${seed}`] !== undefined) return failure('out_of_memory', 'no room');
      return success({ tolerance: 1e-5, build: async () => success(kernel(seed)), check: async () => report(seed), dispose: () => { log.push(`gone ${seed}`); } });
    },
  };
}

async function checked(found: Record<string, Attempt<Comparison>>, sets = 3): Promise<{ report: Attempt<CheckReport>; log: string[] }> {
  const backend = backendOf(found), task = await new InputSets(backend).prepare(spec(sets));
  assert.ok(task.ok);
  assert.equal(task.value.sets ?? 1, sets);
  const kernel = await task.value.build(candidate(1), []);
  assert.ok(kernel.ok);
  return { report: await kernel.value.check(), log: backend.log };
}

test('given three sets of inputs, when a kernel is right on all, then each was tried once, and the first tells the time', async () => {
  const { report, log } = await checked({ 2: success({ ...right, max_error: 4e-6 }) });
  assert.deepEqual(log, ['check 1', 'check 2', 'check 3']);
  assert.ok(report.ok);
  assert.deepEqual([report.value.first_ns, report.value.max_error], [1, 4e-6]);
});

test('given a kernel that is wrong on the second set, when checked, then that is found, in words, and the third is not tried', async () => {
  const { report, log } = await checked({ 2: success({ ...right, max_error: 0.5 }) });
  assert.deepEqual(log, ['check 1', 'check 2']);
  assert.ok(report.ok);
  assert.deepEqual([report.value.max_error, report.value.finding], [0.5, 'worst at element 3 of y, on inputs 2 of 3']);
});

test('given a kernel that leaves out an element on the third set, or that cannot run there, when checked, then that is found', async () => {
  const unwritten = await checked({ 3: success({ ...right, max_error: 0, unwritten: 2 }) }), lost = await checked({ 3: failure('device_lost', 'gone') });
  assert.ok(unwritten.report.ok);
  assert.equal(unwritten.report.value.unwritten, 2);
  assert.ok(!lost.report.ok);
  assert.equal(lost.report.outcome, 'device_lost');
});

test('given a kernel that is wrong on the first set, when checked, then no other is tried', async () => {
  const { log } = await checked({ 1: success({ ...right, max_error: Infinity }) });
  assert.deepEqual(log, ['check 1']);
});

test('given a device without memory for the third set, when a kernel is checked, then it is told so, and the second does not stay', async () => {
  const { report, log } = await checked({ 'prepare 3': success(right) });
  assert.ok(!report.ok);
  assert.equal(report.outcome, 'out_of_memory');
  assert.deepEqual(log, ['check 1', 'gone 2']);
});

test('given kernels of nine tasks, when each was checked, then the first task has given up its further sets, and makes them again', async () => {
  const backend = backendOf({}), sets = new InputSets(backend), kernels: Kernel[] = [];
  for (let i = 0; i < 9; i++) {
    const task = await sets.prepare(spec(2));
    assert.ok(task.ok);
    const kernel = await task.value.build(candidate(i), []);
    assert.ok(kernel.ok);
    kernels.push(kernel.value);
  }
  for (const kernel of kernels) await kernel.check();
  assert.deepEqual(backend.log.filter(line => line === 'gone 2').length, 1);
  backend.log.length = 0;
  const again = await kernels[0]!.check();
  assert.ok(again.ok);
  assert.deepEqual(backend.log, ['check 1', 'gone 2', 'check 2']);
});
