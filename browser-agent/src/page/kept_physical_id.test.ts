import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptPhysicalId, type Kept } from './kept_physical_id.ts';

function storage(items: Map<string, string>): () => Kept {
  return () => ({ getItem: name => items.get(name) ?? null, setItem: (name, value) => { items.set(name, value); } });
}

test('given a profile without an id, when asked twice, then it is made once and kept; another profile has another', () => {
  const items = new Map<string, string>();
  const id = keptPhysicalId(storage(items));
  assert.match(id ?? '', /^[0-9a-f]{32}$/);
  assert.equal(keptPhysicalId(storage(items)), id);
  assert.notEqual(keptPhysicalId(storage(new Map())), id);
});

test('given a kept id that is none, when asked, then it is made anew', () => {
  assert.match(keptPhysicalId(storage(new Map([['hone.device', 'x'.repeat(5000)]]))) ?? '', /^[0-9a-f]{32}$/);
});

test('given a browser that keeps nothing, when asked, then there is none', () => {
  assert.equal(keptPhysicalId(() => { throw new Error('denied'); }), undefined);
});
