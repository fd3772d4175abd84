import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agree, closest } from './agreement.ts';

const stamps = { method: 'timestamp', quantum_ns: 1 }, slope = { method: 'slope', quantum_ns: 1 };

const samples = (...all_us: number[]) => all_us.map(us => ({ us }));

test('given samples of which some are off to either side, when the closest are asked for, then those come out in the order of their taking', () => {
  assert.deepEqual(closest(samples(20, 10.2, 10, 1, 10.1, 20.3), 3), samples(10.2, 10, 10.1));
  assert.deepEqual(closest(samples(3, 1, 2), 3), samples(3, 1, 2));
  assert.deepEqual(closest(samples(3, 1), 3), samples(3, 1));
});

test('given samples, when asked whether they agree, then all of those that count lie within a tenth, of slopes within a fifth', () => {
  assert.equal(agree(samples(20, 20, 10), 3, stamps), false);
  assert.equal(agree(samples(20, 20, 10, 10), 3, stamps), false);
  assert.equal(agree(samples(20, 20, 10, 10.5, 10.9), 3, stamps), true);
  assert.equal(agree(samples(10, 10, 11.5), 3, stamps), false);
  assert.equal(agree(samples(10, 10, 11.5), 3, slope), true);
  assert.equal(agree(samples(10, 10), 3, stamps), false);
});
