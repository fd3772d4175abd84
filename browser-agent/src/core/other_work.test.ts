import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OtherWork } from './other_work.ts';

test('given rounds of samples, when more than one in eight of late disagreed, then one more must agree, until they are fewer again', () => {
  const other_work = new OtherWork();
  assert.equal(other_work.samples_more, 0);
  for (let round = 0; round < 16; round++) other_work.note(round % 8 === 0);
  assert.equal(other_work.samples_more, 0);
  other_work.note(true);
  other_work.note(true);
  assert.equal(other_work.samples_more, 1);
  for (let round = 0; round < 16; round++) other_work.note(false);
  assert.equal(other_work.samples_more, 0);
});
