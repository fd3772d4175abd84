import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filled, flopsPerRound, multiplyAddCode, multiplyAddResult, waysOf } from './limit_kernels.ts';

test('given the ways to write multiply-adds, when they are printed, then a round has as many operations as it counts for', () => {
  for (const way of [...waysOf('f32'), ...waysOf('f16')]) {
    const [, round = ''] = /\{\n((?:c\d.*\n)+)\}/.exec(multiplyAddCode(way)) ?? [], lines = round.trim().split('\n');
    assert.ok(lines.every(line => (way.form === 'fma' ? /fma\(c/ : / \* factor \+ addend/).test(line)));
    assert.equal(flopsPerRound(way), lines.length * 4 * 2);   // of vectors of four
    assert.equal(new Set(lines.map(line => line.split(' ')[0])).size, way.chains);
    assert.equal(multiplyAddCode(way).startsWith('enable f16'), way.type === 'f16');
  }
});

test('given chains, when one round is computed, then threads and rounds differ by what they began with, and no rounds leave that', () => {
  const [way] = waysOf('f32'), work = { rounds: 0, factor: 0.5, addend: 1 };
  assert.equal(multiplyAddResult(way!, 0, work), 2 * (0 + 0.25 + 0.5 + 0.75) + 4 / 16);
  assert.equal(multiplyAddResult(way!, 3, work) - multiplyAddResult(way!, 0, work), 8 * 3 / 8);
  const once = multiplyAddResult(way!, 0, { ...work, rounds: 1 });
  assert.ok(Math.abs(once - (8 * 2 + (3.25 - 8 * 2) / 256)) < 1e-12);   // eight steps towards 2, each halves what is left
});

test('given vectors that are copied, when their values are told, then neighbours differ and are whole numbers of 32 bits', () => {
  const values = Array.from({ length: 64 }, (_, i) => filled(i >> 2 << 2, i % 4));
  assert.equal(new Set(values).size, 64);
  assert.ok(values.every(value => value >= 0 && value < 2 ** 32));
});
