import assert from 'node:assert/strict';
import test from 'node:test';
import { withPart } from './parts.mjs';

test('a part that is written again replaces itself alone', () => {
  // Given a document with a part, another one and words of its own, when the first is written again, then everything else is as it was.
  const before = withPart(withPart('# Title\nWords.\n', 'a', 'old\n'), 'b', 'kept');
  assert.equal(withPart(before, 'a', 'new'), before.replace('old', 'new'));
  assert.match(before, /^# Title\nWords\.\n\n<!-- a: begin -->\nold\n<!-- a: end -->\n\n<!-- b: begin -->\nkept\n<!-- b: end -->\n$/);
});

test('an empty document becomes the part', () => {
  // Given nothing, when a part is written, then it is the document; written twice it is there once.
  const once = withPart('', 'a', 'text');
  assert.equal(once, '<!-- a: begin -->\ntext\n<!-- a: end -->\n');
  assert.equal(withPart(once, 'a', 'text'), once);
});
