import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyPool } from './copy_pool.ts';
import { success } from './outcome.ts';

const mib = 1 << 20;

function pool() {
  const log: string[] = [], made = new CopyPool<string>(name => log.push(`free ${name}`));
  const take = async (label: string, bytes: number, count: number) => {
    const taken = await made.take(label, bytes, count, stride => { log.push(`make ${label} ${stride}`); return success(label); });
    assert.ok(taken.ok);
    return taken.value;
  };
  return { log, take, dispose: () => made.dispose() };
}

test('given two layouts of a constant of about one size, when copies are taken, then they are made once, each large enough for either', async () => {
  const { log, take } = pool();
  const first = await take('arg 1', 1_000_000, 4), second = await take('arg 1', 1_040_000, 4);
  assert.deepEqual(log, ['make arg 1 1048576']);
  assert.ok(first.stride >= 1_040_000 && second.content === first.content);
});

test('given more copies than there are, when taken, then they are made anew, and the others freed when their last user is done', async () => {
  const { log, take, dispose } = pool();
  const few = await take('arg 1', mib, 2), many = await take('arg 1', mib, 4);
  assert.deepEqual(log, ['make arg 1 1048576', 'make arg 1 1048576']);
  few.release();
  assert.deepEqual(log.slice(2), ['free arg 1']);
  many.release();
  assert.equal(log.length, 3);
  dispose();
  assert.deepEqual(log.slice(3), ['free arg 1']);
});

test('given copies of many sizes, when more are taken than the pool keeps, then those that nobody uses are freed first', async () => {
  const { log, take } = pool();
  (await take('a', 64 * mib, 1)).release();
  await take('b', 64 * mib, 1);
  await take('c', 96 * mib, 1);
  assert.deepEqual(log.filter(line => line.startsWith('free')), ['free a']);
});
