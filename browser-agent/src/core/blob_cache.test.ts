import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobCache } from './blob_cache.ts';
import { failure, success } from './outcome.ts';

function world(bytes_max: number): { cache: BlobCache; fetched: string[] } {
  const fetched: string[] = [];
  const cache = new BlobCache(async (sha256, bytes) => {
    fetched.push(sha256);
    return sha256 === 'missing' ? failure('not_found', 'no such blob') : success(new ArrayBuffer(bytes));
  }, bytes_max);
  return { cache, fetched };
}

test('given a blob that was fetched, when it is asked for again, then it is not fetched again; one that failed is', async () => {
  const { cache, fetched } = world(1000);
  const first = await cache.get('a', 10), second = await cache.get('a', 10);
  assert.ok(first.ok && second.ok && first.value === second.value);
  assert.equal((await cache.get('missing', 1)).ok, false);
  assert.equal((await cache.get('missing', 1)).ok, false);
  assert.deepEqual(fetched, ['a', 'missing', 'missing']);
});

test('given a full cache, when another blob comes, then the longest unused one goes', async () => {
  const { cache, fetched } = world(20);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(name, 10);
  assert.deepEqual(fetched, ['a', 'b', 'c', 'b']);
  assert.equal(cache.bytes, 20);
});
