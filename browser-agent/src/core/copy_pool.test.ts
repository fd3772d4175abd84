import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyPool } from './copy_pool.ts';
import { success } from './outcome.ts';

const mib = 1 << 20;

// A pool that notes what it makes and frees, and the takes of one task.
function pool(copies_max?: number) {
  const log: string[] = [], made = new CopyPool<string>(name => log.push(`free ${name}`), copies_max);
  const of = (name: string) => {
    const task = {};
    const take = async (label: string, bytes: number, count: number) => {
      const content = `${name} ${label}`;
      const taken = await made.take({ task, label, bytes, count }, stride => { log.push(`make ${content} ${stride} × ${count}`); return success(content); });
      assert.ok(taken.ok);
      return taken.value;
    };
    return { take, forget: () => made.forget(task) };
  };
  return { log, of, freed: () => log.filter(line => line.startsWith('free')) };
}

test('given two layouts of a constant of about one size, when copies are taken, then they are made once, each large enough for either', async () => {
  const { log, of } = pool(), { take } = of('t');
  const first = await take('arg 1', 1_000_000, 4), second = await take('arg 1', 1_040_000, 4);
  assert.deepEqual(log, ['make t arg 1 1048576 × 4']);
  assert.ok(first.stride >= 1_040_000 && second.content === first.content);
});

test('given more copies than there are, when taken, then they are made anew, and the others freed when their last user is done', async () => {
  const { log, of } = pool(), { take, forget } = of('t');
  const few = await take('arg 1', mib, 2), many = await take('arg 1', mib, 4);
  assert.deepEqual(log, ['make t arg 1 1048576 × 2', 'make t arg 1 1048576 × 4']);
  few.release();
  assert.deepEqual(log.slice(2), ['free t arg 1']);
  many.release();
  assert.equal(log.length, 3);
  forget();
  assert.deepEqual(log.slice(3), ['free t arg 1']);
});

test('given two tasks with a buffer of one label and size, when copies are taken, then each has its own', async () => {
  const { of } = pool(), first = await of('a').take('arg 1', mib, 2), second = await of('b').take('arg 1', mib, 2);
  assert.deepEqual([first.content, second.content], ['a arg 1', 'b arg 1']);
});

test('given copies of many tasks, when more bytes are taken than the pool keeps, then what nobody uses is freed, what was used longest ago first', async () => {
  const { freed, of } = pool(), [a, b, c, d] = ['a', 'b', 'c', 'd'].map(of);
  const early = await a!.take('x', 64 * mib, 1);
  (await b!.take('x', 64 * mib, 1)).release();
  await c!.take('x', 32 * mib, 1);
  early.release();
  (await d!.take('x', 64 * mib, 1)).release();
  assert.deepEqual(freed(), ['free b x']);
  await d!.take('y', 96 * mib, 1);
  assert.deepEqual(freed(), ['free b x', 'free a x']);
});

test('given copies of many tasks, when more of them are taken than the pool may hold, then what nobody uses is freed, what was used longest ago first', async () => {
  const { freed, of } = pool(100), [a, b, c, d] = ['a', 'b', 'c', 'd'].map(of);
  (await a!.take('x', 64, 30)).release();
  (await b!.take('x', 64, 30)).release();
  await c!.take('x', 64, 40);
  (await a!.take('x', 64, 30)).release();
  await d!.take('x', 64, 20);
  assert.deepEqual(freed(), ['free b x']);
  await d!.take('y', 64, 100);
  assert.deepEqual(freed(), ['free b x', 'free a x']);
});

test('given two tasks, when one is forgotten, then its copies are freed, those in use after their last user, and the other\'s stay', async () => {
  const { log, freed, of } = pool(), a = of('a'), b = of('b');
  (await a.take('unused', mib, 1)).release();
  const used = await a.take('used', mib, 1), again = await a.take('used', mib, 1);
  (await b.take('unused', mib, 1)).release();
  a.forget();
  assert.deepEqual(freed(), ['free a unused']);
  used.release();
  assert.equal(freed().length, 1);
  again.release();
  assert.deepEqual(freed(), ['free a unused', 'free a used']);
  const before = log.length;
  await b.take('unused', mib, 1);
  assert.equal(log.length, before);
});

test('given copies that were freed, when others are taken, then there is room for them again', async () => {
  const { freed, of } = pool(100), a = of('a'), b = of('b'), c = of('c');
  (await a.take('x', 64, 60)).release();
  a.forget();
  (await b.take('x', 64, 50)).release();
  await c.take('x', 64, 50);
  assert.deepEqual(freed(), ['free a x']);
});
