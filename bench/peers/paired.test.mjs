import assert from 'node:assert/strict';
import test from 'node:test';
import { overFastest } from './paired.mjs';

const results = { ms: { own: 10, a: 30, b: 20 }, samples: { own: [10, 20, 10], a: [30, 60, 30], b: [20, 40, 25] } };

test('the fastest rival counts, round by round', () => {
  // Given rounds of which one was disturbed, when compared, then the rival with the least median is taken, and the disturbed round has its usual ratio.
  assert.deepEqual(overFastest(results, 'own', ['a', 'b']), { over: 2, rival: 'b' });
});

test('without a side there is no ratio', () => {
  // Given results without one of the sides, when compared, then there is no ratio; a rival that did not run is passed over.
  assert.equal(overFastest(results, 'missing', ['a']), null);
  assert.equal(overFastest(results, 'own', ['missing']), null);
  assert.equal(overFastest(results, 'own', ['missing', 'a']).rival, 'a');
});
