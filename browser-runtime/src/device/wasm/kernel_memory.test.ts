import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arguments } from './arguments.ts';
import { digest, KernelMemory, reach_bytes } from './kernel_memory.ts';

const poison_bits = 0x7fdeaded;

function make(): KernelMemory {
  return KernelMemory.make({ shared: false, poison_bits });
}

test('given blocks, when allocated, then they hold poison, are aligned, lie apart, and memory surrounds them', () => {
  const memory = make();
  const blocks = [4, 100, 1 << 20].map(bytes => memory.allocate(bytes));
  for (const [i, block] of blocks.entries()) {
    assert.equal(block.at % 16, 0);
    assert.ok(memory.words(block).every(word => word === poison_bits));
    const before = i === 0 ? reach_bytes : blocks[i - 1]!.at + blocks[i - 1]!.bytes;
    assert.ok(block.at - before >= 64, `block ${i}`);
  }
  assert.ok(memory.memory.buffer.byteLength >= blocks[2]!.at + blocks[2]!.bytes + reach_bytes);
});

test('given a block that was freed, when one that fits is asked for, then it takes its place; a larger one does not', () => {
  const memory = make();
  const [first, middle, last] = [64, 256, 64].map(bytes => memory.allocate(bytes));
  memory.free(middle!);
  assert.ok(memory.allocate(512).at > last!.at);
  const again = memory.allocate(256);
  assert.equal(again.at, middle!.at);
  assert.ok(first!.at < again.at);
});

test('given writes beside a block, when its borders are mended, then they are found once and count as an incident', () => {
  const memory = make();
  const block = memory.allocate(32);
  const all = new Uint32Array(memory.memory.buffer);
  all[block.at / 4 - 1] = 0;
  all[(block.at + 32) / 4] = 1;
  all[(block.at + 32) / 4 + 3] = 1;
  memory.words(block).fill(0);
  assert.deepEqual(memory.mendBorders(block), { before: 1, behind: 2 });
  assert.equal(memory.incidents, 1);
  assert.deepEqual(memory.mendBorders(block), { before: 0, behind: 0 });
  assert.equal(memory.incidents, 1);
});

test('given words, when one changes or two change places, then the digest does', () => {
  const before = digest(Uint32Array.of(1, 2, 3));
  assert.notEqual(digest(Uint32Array.of(1, 2, 4)), before);
  assert.notEqual(digest(Uint32Array.of(2, 1, 3)), before);
});

test('given more memory than there is, when allocated, then a RangeError says so', () => {
  assert.throws(() => make().allocate(3 * 2 ** 30), RangeError);
});

test('given launches with and without scratch, when placed for three threads, then each thread finds the buffers and scratch of its own', () => {
  const memory = make();
  const made = new Arguments(memory, 3, [{ addresses: [16, 32], scratch_bytes: 0 }, { addresses: [48], scratch_bytes: 100 }]);
  const [plain, own] = made.places;
  assert.ok(plain && own);
  const words = new Uint32Array(memory.memory.buffer);
  assert.deepEqual([...words.subarray(plain.args / 4, plain.args / 4 + 2)], [16, 32]);
  assert.equal(plain.args_stride, 0);
  const scratch = [0, 1, 2].map(thread => {
    const at = (own.args + thread * own.args_stride) / 4;
    assert.equal(words[at], 48);
    return words[at + 1]!;
  });
  assert.equal(scratch[1]! - scratch[0]!, 128);
  assert.equal(scratch[2]! - scratch[1]!, 128);
  assert.equal(scratch[0]! % 16, 0);
  assert.deepEqual(made.findings(), []);
  made.dispose();
});
