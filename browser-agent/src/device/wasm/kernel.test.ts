import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, launch } from '../../../test/samples.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import { success } from '../../core/outcome.ts';
import type { Buffer } from '../../generated/protocol.ts';
import { KernelMemory, type Block } from '../../../../browser-runtime/src/device/wasm/kernel_memory.ts';
import type { Launch, Team } from '../../../../browser-runtime/src/device/wasm/team.ts';
import type { PlaceOf } from './buffers.ts';
import { WasmKernel, type KernelContext } from './kernel.ts';

const buffer = (role: Buffer['role'], bytes: number): Buffer => ({ name: role, role, dtype: 'f32', shape: [bytes / 4], dims: [], pad: 'any', bytes, seed: 0n, low: -1, high: 1 });
const all = [buffer('input', 4096), buffer('constant', 8192), buffer('output', 4096)];

// A kernel of an input, a constant, scratch memory and an output on a team that notes what each launch is called with.
async function noted() {
  const memory = KernelMemory.make({ shared: false, poison_bits: 0x7fdeaded }), calls: number[][] = [];
  const blocks = all.map(({ bytes }) => memory.allocate(bytes));
  memory.words(blocks[1]!).fill(77);
  const team = {
    threads: 1, add: async () => success({ id: 2 }), remove: () => {}, work: (_: unknown, work: () => number) => work(),
    run: ({ args }: Launch) => calls.push([...new Uint32Array(memory.memory.buffer, args, 4)]),
  } as unknown as Team;
  const checks: [string, number][] = [];
  const note = (what: string, placeOf: PlaceOf = (_, block) => block) => checks.push([what, placeOf(2, blocks[2]!).at]);
  const buffers = {
    all, at: (position: number) => ({ name: '', block: blocks[position]! }), inspect: () => '',
    reset: (placeOf?: PlaceOf) => note('poisoned', placeOf), compare: (_: unknown, placeOf?: PlaceOf) => note('compared', placeOf),
  } as unknown as KernelContext['buffers'];
  const copies = new CopyPool<Block>(block => memory.free(block)), turn = { take: async () => {} } as unknown as KernelContext['turn'];
  const bindings = [['arg', 0], ['arg', 1], ['temp', 0], ['arg', 2]].map(([kind, position]) => ({ kind: kind as 'arg' | 'temp', position: Number(position), writes: position === 2, bytes: 16 }));
  const kernel = await WasmKernel.build({ memory, team, turn, quantum_ns: 1, buffers, copies, tolerance: 1e-5 }, candidate(1, { temps: [4096], launches: [{ ...launch, bindings }] }), [wasm]);
  assert.ok(kernel.ok, JSON.stringify(kernel));
  return { memory, calls, kernel: kernel.value, blocks, checks };
}
const wasm = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);   // an empty module

const distinct = (calls: readonly number[][], position: number): number => new Set(calls.map(addresses => addresses[position])).size;

test('given a kernel whose executions rotate over all its buffers, when timed again and again, then each takes the next of the sets, and they are what they are copies of', async () => {
  const { memory, calls, kernel, blocks } = await noted();
  const rotating = await kernel.rotating!({ of: 'all', bytes: 5 * 20_480 });
  assert.ok(rotating.ok);
  for (const repeats of [2, 1, 4]) await rotating.value.time(repeats);
  assert.equal(calls.length, 7);
  assert.deepEqual([0, 1, 2, 3].map(position => distinct(calls.slice(0, 5), position)), [5, 5, 5, 5]);
  assert.deepEqual(calls.slice(5), calls.slice(0, 2));
  assert.equal(calls[0]![1], blocks[1]!.at);
  for (const [, constant] of calls) assert.equal(new Uint32Array(memory.memory.buffer, constant!, 2048).every(word => word === 77), true);
});

test('given a kernel that is timed as in a model, when timed, then its constant alone has copies; and when timed hot, none is used', async () => {
  const { calls, kernel } = await noted();
  const rotating = await kernel.rotating!({ of: 'constants', bytes: 3 * 8192 });
  assert.ok(rotating.ok);
  await rotating.value.time(6);
  assert.deepEqual([0, 1, 2, 3].map(position => distinct(calls, position)), [1, 3, 1, 1]);
  calls.length = 0;
  await kernel.time(5);
  assert.deepEqual([0, 1, 2, 3].map(position => distinct(calls, position)), [1, 1, 1, 1]);
});

test('given a rotation that the kernel\'s own buffers cover, when asked for, then it is the kernel itself', async () => {
  const { kernel } = await noted();
  const rotating = await kernel.rotating!({ of: 'constants', bytes: 8192 });
  assert.ok(rotating.ok && rotating.value === kernel);
});

test('given a kernel that was timed on copies of its buffers, when it is checked again, then the output that its last execution wrote is poisoned before and compared', async () => {
  const { calls, kernel, checks } = await noted();
  const rotating = await kernel.rotating!({ of: 'all', bytes: 3 * 20_480 });
  assert.ok(rotating.ok);
  await rotating.value.time(2);
  for (const repeats of [2, 2, 1]) assert.ok((await rotating.value.recheck(repeats)).ok);
  assert.deepEqual(checks, [3, 5, 6].flatMap(last => ['poisoned', 'compared'].map(what => [what, calls[last]![3]])));
  assert.notEqual(checks[0]![1], checks[2]![1]);
});
