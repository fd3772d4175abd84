import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTurn } from './event_turn.ts';

test('given several who wait for a turn at once, when it comes, then each goes on, in order', async () => {
  const turn = new EventTurn(), order: number[] = [];
  await Promise.all([1, 2, 3].map(async who => {
    await turn.take();
    order.push(who);
  }));
  turn.dispose();
  assert.deepEqual(order, [1, 2, 3]);
});
