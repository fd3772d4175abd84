import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kept } from './kept_physical_id.ts';
import { keepToken, keptToken } from './kept_token.ts';

const token = '00112233445566778899aabbccddeeff';

function storage(items: Map<string, string>): () => Kept {
  return () => ({ getItem: name => items.get(name) ?? null, setItem: (name, value) => { items.set(name, value); } });
}

test('given a token that was kept, when asked, then it is there; a profile without one, or with nonsense, has none', () => {
  const items = new Map<string, string>();
  assert.equal(keptToken(storage(items)), '');
  assert.equal(keepToken(storage(items), token), true);
  assert.equal(keptToken(storage(items)), token);
  for (const nonsense of ['', 'x'.repeat(5000), `${token} `]) assert.equal(keptToken(storage(new Map([['hone.token', nonsense]]))), '');
});

test('given a browser that keeps nothing, when a token is kept and asked for, then there is none and nothing ends', () => {
  const denied = (): Kept => { throw new Error('denied'); };
  assert.equal(keepToken(denied, token), false);
  assert.equal(keptToken(denied), '');
});
