import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBytes, climbSets, untold, workingSets } from './cache_size.ts';

const mib = 1 << 20;
const readings = (ns: readonly number[]) => workingSets(128 * mib).map((bytes, i) => ({ bytes, ns: ns[i] ?? 0 }));

test('given reads that become slower beyond 2 MiB and again beyond 32 MiB, when the knee is looked for, then it is the last one', () => {
  assert.equal(cacheBytes(readings([4, 5, 18, 19, 20, 26, 90, 96])), 32 * mib);
});

test('given a cache that is shared, and holds a part of its size for us, when the knee is looked for, then it is where reads still gain', () => {
  assert.equal(cacheBytes(readings([6, 9, 17, 24, 42, 75, 98, 104])), 16 * mib);
});

test('given reads that take the same everywhere, or few of them, when the knee is looked for, then nothing is told', () => {
  assert.equal(cacheBytes(readings([98, 97, 101, 99, 100, 98, 102, 100])), 0);
  assert.equal(cacheBytes(readings([90, 100]).slice(0, 2)), 0);
  assert.equal(cacheBytes([]), 0);
});

test('given a limit on memory, when working sets are chosen, then none is beyond it', () => {
  assert.deepEqual(workingSets(5 * mib).map(bytes => bytes / mib), [1, 2, 4]);
});

// Memory of 100 GB/s behind a cache of 32 MiB that is four times as fast; `clock`: what is read of a true time. Notes the sets that were read.
function memory({ slower = 1, clock = (ns: number): number => ns } = {}) {
  let now_ns = 0;
  const read: number[] = [];
  const reader = {
    sets: workingSets(256 * mib), round_bytes: mib, least_ns: 1e6, nowMs: () => now_ns / 1e6,
    readNs: async (bytes: number, rounds: number) => {
      const ns = slower * rounds * mib / (bytes <= 32 * mib ? 400 : 100);
      read.push(bytes);
      now_ns += ns;
      return clock(ns);
    },
  };
  return { reader, read, nowMs: reader.nowMs };
}

test('given memory behind a cache, when sets are read from the largest on, then the cache and the memory\'s speed are told', async () => {
  const { cache_bytes, gb_s } = await climbSets(memory().reader);
  assert.equal(cache_bytes, 32 * mib);
  assert.ok(Math.abs(gb_s - 100) < 1, `${gb_s}`);
});

test('given memory so slow that the time does not suffice for the largest sets, when sets are read, then smaller ones tell, or nothing does, in time', async () => {
  for (const { slower, wanted } of [{ slower: 10, wanted: 32 * mib }, { slower: 20, wanted: 0 }, { slower: 50, wanted: 0 }]) {
    const { reader, nowMs } = memory({ slower }), largest_ms = slower * 256 * mib / 100 / 1e6;
    assert.equal((await climbSets(reader)).cache_bytes, wanted);
    assert.ok(nowMs() <= Math.max(100, 1.1 * largest_ms), `${nowMs()} ms`);
  }
});

test('given a device whose buffers are smaller than any set, when it is to be told, then nothing is read', async () => {
  const { reader, read } = memory();
  assert.deepEqual(await climbSets({ ...reader, sets: workingSets(1000) }), untold);
  assert.deepEqual(read, []);
});

test('given that preparing takes the time, when sets are read, then nothing is told', async () => {
  const { reader, read } = memory();
  assert.deepEqual(await climbSets({ ...reader, prepare: () => reader.readNs(mib, 40_000).then(() => {}) }), untold);
  assert.ok(read.length < 5, `${read}`);
});

test('given a clock that stands still, or says the same of all reads, when sets are read, then they end and nothing is told', async () => {
  for (const clock of [() => 0, () => 5e6]) {
    const { reader, nowMs } = memory({ clock });
    assert.deepEqual(await climbSets(reader), untold);
    assert.ok(nowMs() < 110, `${nowMs()} ms`);
  }
});
