import assert from 'node:assert/strict';
import { test } from 'node:test';
import { halfBits } from '../device/halves.ts';
import { Layout, type Dims } from './layout.ts';
import { elementsOf, packInParts, packInto, unpack, type Held, type Tensor } from './pack.ts';

function pack(tensor: Tensor, held: Held): Uint8Array<ArrayBuffer> {
  const packed = new Uint8Array(Math.ceil(held.bytes / 4) * 4).subarray(0, held.bytes);
  packInto(packed, tensor, held);
  return packed;
}

// By definition: the row-major element that each place holds, or -1.
function elementsByDefinition(shape: readonly number[], dims: Dims): number[] {
  const places = dims.reduce((n, [, , size]) => n * size, 1);
  return Array.from({ length: places }, (_, place) => {
    const at: number[] = [];
    for (let d = dims.length - 1, rest = place; d >= 0; d--) {
      at[d] = rest % dims[d]![2];
      rest = Math.floor(rest / dims[d]![2]);
    }
    const index = shape.map((_, axis) => dims.reduce((sum, [of, div], d) => (of === axis ? sum + at[d]! * div : sum), 0));
    const agrees = dims.every(([axis, div, size], d) => Math.floor(index[axis]! / div) % size === at[d]);
    if (!agrees || index.some((i, axis) => i >= shape[axis]!)) return -1;
    return index.reduce((linear, i, axis) => linear * shape[axis]! + i, 0);
  });
}

const cases: [string, number[], Dims][] = [
  ['columns first', [3, 5], [[1, 1, 5], [0, 1, 3]]],
  ['blocks with padding', [6, 10], [[0, 4, 2], [1, 4, 3], [0, 1, 4], [1, 1, 4]]],
  ['channels inside, rounded up', [1, 5, 2, 3], [[0, 1, 1], [2, 1, 2], [3, 1, 3], [1, 1, 8]]],
  ['channels inside, eleven of them', [1, 11, 5, 17], [[0, 1, 1], [2, 1, 5], [3, 1, 17], [1, 1, 11]]],
  ['columns first, more than long', [19, 13], [[1, 1, 13], [0, 1, 19]]],
  ['all axes whole, in two orders', [2, 3, 5, 4, 6], [[3, 1, 4], [4, 1, 6], [0, 1, 2], [1, 1, 3], [2, 1, 5]]],
  ['by remainder', [12], [[0, 1, 4], [0, 4, 3]]],
  ['one axis twice: a halo', [8], [[0, 2, 4], [0, 1, 4]]],
  ['a dimension of size 1 beside', [4, 4], [[0, 1, 1], [0, 1, 4], [1, 1, 4]]],
  ['a large one in slices', [3, 70_000], [[0, 1, 4], [1, 1, 70_001]]],
];

for (const [name, shape, dims] of cases) {
  test(`given a layout (${name}), when packed and unpacked, then each place holds what the definition says, and all comes back`, () => {
    const tensor = Float32Array.from({ length: elementsOf(shape) }, (_, i) => i + 1), expected = elementsByDefinition(shape, dims);
    const content = new Uint8Array(tensor.buffer), layout = new Layout(shape, dims);
    assert.ok(layout.valid);
    assert.equal(layout.elements, expected.length);
    const bytes = expected.length * 4 + 16, packed = pack({ dtype: 'f32', shape, content }, { dtype: 'f32', dims, bytes });
    assert.equal(packed.byteLength, bytes);
    const values = new Float32Array(packed.buffer);
    for (const [place, element] of expected.entries()) if (values[place] !== (element < 0 ? 0 : element + 1)) assert.fail(`place ${place}: ${values[place]}, expected element ${element}`);
    const held = new Set(expected), back = new Float32Array(unpack(packed, shape, dims).buffer);
    assert.deepEqual(back, tensor.map((value, i) => (held.has(i) ? value : 0)));
  });
}

test('given f32 numbers that kernels hold as f16, and the reverse, when packed, then they are rounded, and widened', () => {
  const numbers = Float32Array.of(1, -2.5, 65504, 1e-8, 3.14159, 0), word = new Uint32Array(1), real = new Float32Array(word.buffer);
  const halves = pack({ dtype: 'f32', shape: [2, 3], content: new Uint8Array(numbers.buffer) }, { dtype: 'f16', dims: [], bytes: 16 });
  assert.deepEqual([...new Uint16Array(halves.buffer, 0, 6)], [...numbers].map(value => (real[0] = value, halfBits(word[0]!))));
  assert.equal(halves.byteLength, 16);
  const wide = pack({ dtype: 'f16', shape: [2, 3], content: halves.subarray(0, 12) }, { dtype: 'f32', dims: [[1, 1, 3], [0, 1, 2]], bytes: 24 });
  assert.deepEqual([...new Float32Array(wide.buffer)].map(value => Math.round(value * 100) / 100), [1, 0, -2.5, 3.14, 65504, 0]);
});

// All parts in their places, which they do not share, over zeros.
function joined(tensor: Tensor, held: Held): Uint8Array {
  const all = new Uint8Array(Math.ceil(held.bytes / 4) * 4);
  let end = 0;
  for (const { at, bytes } of packInParts(tensor, held)) {
    assert.ok(at >= end && at % 16 === 0 && bytes.byteLength % 4 === 0 && bytes.byteLength <= 64 * 1024, `${bytes.byteLength} bytes at ${at}, behind ${end}`);
    all.set(bytes, at);
    end = at + bytes.byteLength;
  }
  return all.subarray(0, held.bytes);
}

const large: [string, number[], Dims][] = [
  ...cases, ['row-major', [300, 300], []], ['a long row', [100_003], [[0, 1, 100_003]]], ['columns first', [500, 301], [[1, 1, 301], [0, 1, 500]]],
  ['blocks with odd sides', [157, 9, 67], [[0, 12, 14], [2, 1, 67], [1, 1, 9], [0, 1, 12]]], ['padding between', [3, 30_001], [[0, 1, 3], [1, 1, 40_001]]],
  ['kernels outside', [96, 64, 3, 3], [[2, 1, 3], [3, 1, 3], [1, 1, 64], [0, 1, 96]]],
];
for (const [name, shape, dims] of large) {
  test(`given a layout (${name}), when packed in parts, then they are what is packed at once, in f32 and in f16, also out of pieces`, () => {
    const content = new Uint8Array(Float32Array.from({ length: elementsOf(shape) }, (_, i) => i % 2047 + 1).buffer), { elements } = new Layout(shape, dims);
    for (const [dtype, bytes] of [['f32', elements * 4], ['f32', elements * 4 + 16], ['f16', elements * 2]] as const) {
      const tensor = { dtype: 'f32', shape, content }, held = { dtype, dims, bytes };
      const pieces = { ...tensor, content: [content.subarray(0, 4 * 5), content.subarray(4 * 5, 4 * 7), content.subarray(4 * 7)] };
      for (const given of [tensor, pieces]) assert.ok(Buffer.from(joined(given, held)).equals(pack(tensor, held)), `${dtype} in ${bytes} bytes`);
    }
  });
}

test('given a scalar, when packed and unpacked, then it is one element', () => {
  const packed = pack({ dtype: 'i32', shape: [], content: new Uint8Array(Int32Array.of(7).buffer) }, { dtype: 'i32', dims: [], bytes: 16 });
  assert.deepEqual([...unpack(packed, [], [])], [7]);
});

test('given layouts that leave an axis out, or name none, when asked, then they are not valid', () => {
  assert.equal(new Layout([2, 3], [[0, 1, 2]]).valid, false);
  assert.equal(new Layout([2, 3], [[0, 1, 2], [2, 1, 3]]).valid, false);
  assert.equal(new Layout([2, 3], [[0, 0, 2], [1, 1, 3]]).valid, false);
});
