import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlanLoop } from '../generated/manifest.ts';
import { asks, checkLoops, piecesOf } from './loops.ts';
import type { PlanSpec } from './plan.ts';

const launches = Array.from({ length: 6 }, () => ({ kernel: 0, grid: [1, 1, 1] as [number, number, number], buffers: [], binding_bytes: [] }));
const looped = (loops: readonly PlanLoop[]): Pick<PlanSpec, 'launches' | 'loops' | 'buffers'> => ({ launches, loops, buffers: [16, 16] });

// "0-2 3-4", a question as "?1".
function trace(loops: readonly PlanLoop[], answers: readonly boolean[] = []): string {
  const said: string[] = [], left = [...answers], pieces = piecesOf(looped(loops));
  for (let next = pieces.next(); next.done !== true;) {
    if ('condition' in next.value) {
      said.push(`?${next.value.condition}`);
      next = pieces.next(left.shift() ?? false);
    } else {
      said.push(`${next.value.first}-${next.value.last}`);
      next = pieces.next(false);
    }
  }
  return said.join(' ');
}

test('a plan without loops is one row of launches', () => {
  assert.equal(trace([]), '0-6');
});

test('loops repeat as often as they say, and as long as a condition holds', () => {
  assert.equal(trace([{ first: 1, last: 3, trips: 2 }]), '0-1 1-3 1-3 3-6');
  assert.equal(trace([{ first: 1, last: 3, trips: 0 }]), '0-1 3-6');
  assert.equal(trace([{ first: 4, last: 6, condition: 1 }], [true, true, false]), '0-4 ?1 4-6 ?1 4-6 ?1');
});

test('a loop in a loop begins anew in each trip', () => {
  assert.equal(trace([{ first: 1, last: 5, trips: 2 }, { first: 1, last: 2, condition: 0 }, { first: 3, last: 4, trips: 2 }], [true, false, false]), '0-1 ?0 1-2 ?0 2-3 3-4 3-4 4-5 ?0 2-3 3-4 3-4 4-5 5-6');
});

test('whether a run waits for a condition', () => {
  assert.equal(asks(looped([{ first: 0, last: 1, trips: 3 }])), false);
  assert.equal(asks(looped([{ first: 0, last: 1, condition: 0 }])), true);
});

test('loops that do not fit are refused', () => {
  for (const [loops, what] of [
    [[{ first: 2, last: 2, trips: 1 }], /launches 2 to 2 of 6/],
    [[{ first: 2, last: 7, trips: 1 }], /2 to 7/],
    [[{ first: 0, last: 1 }], /neither trips/],
    [[{ first: 0, last: 1, condition: 2 }], /no word/],
    [[{ first: 0, last: 3, trips: 1 }, { first: 2, last: 4, trips: 1 }], /overlaps/],
  ] as const) {
    const checked = checkLoops(looped(loops));
    assert.ok(!checked.ok);
    assert.match(checked.message, what);
  }
  assert.ok(checkLoops(looped([{ first: 0, last: 4, trips: 1 }, { first: 0, last: 3, condition: 1 }, { first: 4, last: 6, trips: 1 }])).ok);
});
