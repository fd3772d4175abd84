import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBytes, workingSets } from './cache_size.ts';

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
