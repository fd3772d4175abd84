import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, launch } from '../../../test/samples.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import { success } from '../../core/outcome.ts';
import type { TaskBuffers } from './buffers.ts';
import type { Call, Runner } from './runner.ts';
import { Turns } from './turns.ts';

// A runner that notes the copies and the rows that it is asked for.
function noted() {
  const copied: number[] = [], rows: number[] = [];
  const runner = {
    copies: async (_: number, count: number) => { copied.push(count); return success(Array.from({ length: count }, (_, i) => i)); },
    turns: async (_: number, asked: readonly (readonly Call[])[]) => { rows.push(asked.length); return success(1); },
  } as unknown as Runner;
  return { runner, copied, rows };
}

test('given a candidate whose copies would be more than the pool holds, when it rotates, then it has fewer sets, as many as fit', async () => {
  const { runner, copied, rows } = noted(), positions = [0, 1, 2, 3, 4, 5, 6, 7];
  const all = positions.map(position => ({ name: '', role: 'input', dtype: 'f32', shape: [16], dims: [], pad: 'any', bytes: 64, seed: BigInt(position), low: -1, high: 1 }));
  const buffers = { all, copies: new CopyPool<number[]>(() => {}, 100) } as unknown as TaskBuffers;
  const bindings = positions.map(position => ({ kind: 'arg' as const, position, writes: position === 7, bytes: 64 }));
  const turns = new Turns({ runner, buffers, candidate: candidate(1, { launches: [{ ...launch, bindings }] }), program: 1, calls: [], bufferOf: (_, position) => position });
  const rotating = await turns.rotating({ of: 'all', bytes: 1 << 20 }, {} as never);
  assert.ok(rotating.ok);
  assert.deepEqual(copied, positions.map(() => 12));
  assert.deepEqual(rows, [13]);
});
