import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptCode, type Lent } from './kept_code.ts';
import { failure, success } from './outcome.ts';

// Notes what it makes and drops.
function keeper() {
  const log: string[] = [], kept = new KeptCode<string>(made => log.push(`drop ${made}`));
  let number = 0;
  const take = async (text: string): Promise<Lent<string>> => {
    const lent = await kept.take(text, async () => { log.push(`make ${text}`); return success(`${text} ${++number}`); });
    assert.ok(lent.ok);
    return lent.value;
  };
  return { log, kept, take };
}

test('given code that was given back, when its text comes again, twice at once, then one has it and the other is made anew', async () => {
  const { log, kept, take } = keeper();
  kept.giveBack([await take('a')], true);
  const again = await take('a'), other = await take('a');
  assert.deepEqual([again, other].map(({ made, is_new }) => [made, is_new]), [['a 1', false], ['a 2', true]]);
  kept.giveBack([again, other], true);
  assert.deepEqual(log, ['make a', 'make a', 'drop a 2']);
});

test('given code that is not measured again, or cannot be made, when it is over, then nothing is kept', async () => {
  const { log, kept, take } = keeper();
  kept.giveBack([await take('a')], false);
  assert.ok((await take('a')).is_new);
  assert.deepEqual(log, ['make a', 'drop a 1', 'make a']);
  assert.equal((await kept.take('b', async () => failure('compile_error', 'no'))).ok, false);
  assert.ok((await take('b')).is_new);
});

test('given kernels without end, when all are given back, then no more than 32 are kept, the last ones', async () => {
  const { log, kept, take } = keeper();
  for (let i = 0; i < 5000; i++) kept.giveBack([await take(`${i}`)], true);
  assert.equal(log.filter(line => line.startsWith('drop')).length, 5000 - 32);
  assert.ok(!(await take('4968')).is_new);
  assert.ok((await take('4967')).is_new);
});
