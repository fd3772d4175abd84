import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptCode } from './kept_code.ts';

// Keeps 10 characters of text, and notes what it drops.
function keeper() {
  const dropped: string[] = [];
  return { dropped, kept: new KeptCode<string>(made => dropped.push(made), 10) };
}

test('given code that was given back, when its text comes again, then it is taken once', () => {
  const { dropped, kept } = keeper();
  kept.keep('text', 'code');
  assert.equal(kept.take('other'), undefined);
  assert.equal(kept.take('text'), 'code');
  assert.equal(kept.take('text'), undefined);
  assert.deepEqual(dropped, []);
});

test('given more text than is kept, when more is given back, then what was given back longest ago is dropped', () => {
  const { dropped, kept } = keeper();
  for (const text of ['aaaa', 'bbbb', 'cc']) kept.keep(text, text.toUpperCase());
  assert.equal(kept.take('aaaa'), 'AAAA');
  kept.keep('aaaa', 'AAAA');
  kept.keep('dd', 'DD');
  assert.deepEqual(dropped, ['BBBB']);
});

test('given one text of two kernels, when both are given back, then one is kept; and text larger than all that is kept, then it is dropped', () => {
  const { dropped, kept } = keeper();
  kept.keep('aaaa', 'first');
  kept.keep('aaaa', 'second');
  assert.deepEqual(dropped, ['first']);
  kept.keep('a text too long', 'third');
  assert.deepEqual(dropped, ['first', 'second', 'third']);
});
