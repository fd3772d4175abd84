import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlanFile, PlanPort } from '../generated/manifest.ts';
import { asRowMajor } from './row_major.ts';

const port = (change: Partial<PlanPort>): PlanPort => ({ value: 0, buffer: 0, dtype: 'f32', dims: [], bytes: 0, ...change });
const planOf = (inputs: PlanPort[], outputs: PlanPort[]): PlanFile => ({ buffers: [], textures: [], kernels: [], launches: [], weights: [], inputs, outputs });
const value = (shape: number[]): { name: string; dtype: string; shape: number[] } => ({ name: 'v', dtype: 'f32', shape });

test('given ports that lie channels last, when their device brings them into order, then callers see them row-major, without places that hold nothing', () => {
  const shape = [1, 3, 4, 4], dims = [[0, 1, 1], [2, 1, 4], [3, 1, 4], [1, 1, 4]] as const, held = port({ buffer: 2, dims, bytes: 256 });
  const { plan, borders } = asRowMajor({ inputs: [value(shape)], outputs: [value(shape)] }, planOf([held], [held]));
  assert.deepEqual(plan.inputs, [port({ buffer: 2, bytes: 192 })]);
  assert.deepEqual(plan.outputs, [port({ buffer: 2, bytes: 192 })]);
  const blocks = [{ place: 0, first: 0, rows: 16, row_places: 4, row_step: 1, count: 3, stride: 16 }];
  assert.deepEqual(borders, { inputs_row_major: [{ buffer: 2, bytes: 192, blocks }], outputs: [{ buffer: 2, bytes: 192, row_major: { bytes: 192, blocks } }] });
});

test('given ports that lie so already, that hold halves, or whose layout is of many blocks, when asked, then they stay as they are', () => {
  const whole = port({ bytes: 24 }), halves = port({ value: 1, buffer: 1, dtype: 'f16', dims: [[1, 1, 3], [0, 1, 2]], bytes: 12 });
  const many = port({ value: 2, buffer: 2, dims: [[1, 1, 100], [2, 1, 2], [0, 1, 2], [3, 1, 2]], bytes: 3200 });
  const given = planOf([whole, halves, many], [whole]), { plan, borders } = asRowMajor({ inputs: [value([2, 3]), value([2, 3]), value([2, 100, 2, 2])], outputs: [value([2, 3])] }, given);
  assert.deepEqual(plan, given);
  assert.deepEqual(borders, { inputs_row_major: [], outputs: [{ buffer: 0, bytes: 24 }] });
});

test('given a damaged plan whose ports have layouts of 2^40 elements, or of 2^28 blocks, when asked, then they stay as they are, and not all blocks are looked at', () => {
  const huge = port({ dims: [[1, 1, 2 ** 20], [0, 1, 2 ** 20]], bytes: 2 ** 42 }), overlapping = port({ value: 1, dims: [[0, 1, 2 ** 27], [0, 1, 2]], bytes: 2 ** 30 });
  const { plan } = asRowMajor({ inputs: [value([2 ** 20, 2 ** 20]), value([2 ** 27])], outputs: [] }, planOf([huge, overlapping], []));
  assert.deepEqual(plan.inputs, [huge, overlapping]);
});
