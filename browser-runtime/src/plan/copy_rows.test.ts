import assert from 'node:assert/strict';
import { test } from 'node:test';
import code from '../../../browser-agent/dist/copy_rows.wasm';
import { Layout, type Dims } from '../package/layout.ts';
import { packInto, unpack } from '../package/pack.ts';
import { packLaunch, unpackLaunch, type CopyLaunch } from './copy_rows.ts';

const memory = new WebAssembly.Memory({ initial: 64 });
const { main } = new WebAssembly.Instance(new WebAssembly.Module(code), { env: { memory } }).exports as { main: (args: number, begin: number, end: number) => void };
const args_at = 0, row_major_at = 1024, held_at = 1 << 20, ends = { row_major: row_major_at, held: held_at };

// In two ranges, as two threads take them.
function run({ words, extent }: CopyLaunch): void {
  new Int32Array(memory.buffer, args_at, words.length).set(words);
  const half = extent >> 1;
  main(args_at, 0, half);
  main(args_at, half, extent);
}

function blocksOf(shape: readonly number[], dims: Dims): Parameters<typeof packLaunch>[0][] {
  const blocks: Parameters<typeof packLaunch>[0][] = [];
  new Layout(shape, dims).visit(block => blocks.push(block));
  return blocks;
}

const channelsLast = ([, c, h, w]: readonly number[], held = c!): Dims => [[0, 1, 1], [2, 1, h!], [3, 1, w!], [1, 1, held]];
const cases: [string, number[], Dims][] = [
  ['whole tiles', [1, 64, 8, 16], channelsLast([1, 64, 8, 16])],
  ['a last tile of one row, channels that fill no vector', [1, 7, 7, 7], channelsLast([1, 7, 7, 7])],
  ['places that hold nothing', [1, 3, 5, 9], channelsLast([1, 3, 5, 9], 4)],
  ['two pictures', [2, 5, 6, 7], [[0, 1, 2], [2, 1, 6], [3, 1, 7], [1, 1, 5]]],
  ['blocks of channels', [1, 12, 4, 5], [[1, 4, 3], [2, 1, 4], [3, 1, 5], [1, 1, 4]]],
  ['rows of a matrix', [6, 40], [[1, 1, 40], [0, 1, 6]]],
  ['one row', [1, 100, 1, 1], channelsLast([1, 100, 1, 1])],
];

for (const [name, shape, dims] of cases) {
  test(`given ${name}, when copied by the kernel, then elements are where the runtime packs them, and back they are what they were`, () => {
    const count = shape.reduce((a, b) => a * b, 1), places = new Layout(shape, dims).elements, blocks = blocksOf(shape, dims);
    const given = Uint32Array.from({ length: count }, (_, i) => i + 1), expected = new Uint8Array(4 * places);
    packInto(expected, { dtype: 'u32', shape, content: new Uint8Array(given.buffer) }, { dtype: 'u32', dims, bytes: 4 * places });
    const row_major = new Uint32Array(memory.buffer, row_major_at, count), held = new Uint8Array(memory.buffer, held_at, 4 * places + 64);
    held.fill(0);
    row_major.set(given);
    for (const block of blocks) run(packLaunch(block, ends));
    assert.deepEqual(held.slice(0, 4 * places), expected);
    assert.ok(held.subarray(4 * places).every(byte => byte === 0), 'nothing is written behind');
    row_major.fill(0);
    for (const block of blocks) run(unpackLaunch(block, ends));
    assert.deepEqual(row_major, given);
    assert.deepEqual(unpack(held.slice(0, 4 * places), shape, dims), given);
  });
}
