import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, launch } from '../../../test/samples.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import { success } from '../../core/outcome.ts';
import type { Buffer, Texture } from '../../generated/protocol.ts';
import type { Call, Runner } from './runner.ts';
import { Turns, type Turning } from './turns.ts';

// A runner that notes the copies and the rows that it is asked for. Ids of copies are those of no other buffer.
function noted() {
  const copied: number[] = [], rows: (readonly (readonly Call[])[])[] = [], compared: number[] = [];
  let next = 100;
  const runner = {
    copies: async (_: number, count: number) => { copied.push(count); return success(Array.from({ length: count }, () => next++)); },
    turns: async (_: number, asked: readonly (readonly Call[])[]) => { rows.push(asked); return success(1); },
    run: async () => success(1000),
  } as unknown as Runner;
  return { runner, copied, rows, compared };
}

type Noted = ReturnType<typeof noted>;

// A kernel on so many arguments of 64 bytes, of which the last is the output; recheck notes what stands for it.
function partsOf({ runner, compared }: Noted, count: number, texture?: Texture): Turning {
  const positions = Array.from({ length: count }, (_, position) => position), output = count - 1;
  const all = positions.map(position => ({ name: '', role: position === output ? 'output' : 'input', dtype: 'f32', shape: [16], dims: [], pad: 'any', bytes: 64, seed: BigInt(position), low: -1, high: 1 }) as Buffer);
  const bindings = positions.map(position => ({ kind: 'arg' as const, position, writes: position === output, bytes: 64 }));
  return {
    runner, task: { all, copies: new CopyPool<number[]>(() => {}, 100) }, candidate: candidate(1, { launches: [{ ...launch, bindings }] }), program: 1, calls: [{ kernel: 7, buffers: positions }],
    sourceOf: (_, buffer) => (texture === undefined ? { buffer } : { buffer, texture }),
    compared: async (_program, _repeats, standIn) => { compared.push(standIn(output)); return success({ max_error: 0, unwritten: 0, finding: '' }); },
  };
}

test('given a candidate whose copies would be more than the pool holds, when it rotates, then it has fewer sets, as many as fit', async () => {
  const found = noted(), rotating = await new Turns(partsOf(found, 8)).rotating({ of: 'all', bytes: 1 << 20 }, {} as never);
  assert.ok(rotating.ok);
  assert.deepEqual(found.copied, Array(8).fill(12));
  assert.deepEqual(found.rows.map(rows => rows.length), [13]);
});

test('given textures, when a candidate rotates, then the bytes of the textures are covered, and one with others does not get their copies', async () => {
  const found = noted(), flat = { width: 8, height: 4, layers: 1, format: 'rgba32f' } as const;
  const parts = partsOf(found, 2, flat), layered = { ...parts, sourceOf: (_: unknown, buffer: number) => ({ buffer, texture: { ...flat, height: 2, layers: 2 } }) };
  for (const one of [parts, parts, layered]) assert.ok((await new Turns(one).rotating({ of: 'all', bytes: 4 * 2 * 512 }, {} as never)).ok);
  assert.deepEqual(found.copied, [3, 3, 3, 3]);
  assert.deepEqual(found.rows.map(rows => rows.length), [4, 4, 4]);
});

test('given runs that took turns, when the kernel is checked again, then the output of the set that is executed last is compared', async () => {
  const found = noted(), rotating = await new Turns(partsOf(found, 2)).rotating({ of: 'all', bytes: 3 * 2 * 64 }, {} as never);
  assert.ok(rotating.ok);
  const outputs = found.rows[0]!.map(([call]) => call!.buffers[1]);
  assert.equal(new Set(outputs).size, 3);
  for (const repeats of [1, 2, 2]) {
    await rotating.value.time(repeats);
    await rotating.value.recheck(repeats);
  }
  assert.deepEqual(found.compared, [outputs[1], outputs[2], outputs[0]]);   // after 2, 6 and 10 executions
});
