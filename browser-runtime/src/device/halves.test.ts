import assert from 'node:assert/strict';
import { test } from 'node:test';
import { halfBits, toFloat, toHalves } from './halves.ts';

const word = new Uint32Array(1), real = new Float32Array(word.buffer);

function half(value: number): number {
  real[0] = value;
  return halfBits(word[0]!);
}

// By definition, one after the other.
function valueOf(bits: number): number {
  const exponent = (bits >> 10) & 31, fraction = bits & 1023;
  return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
}

test('given every half, and the middles between neighbours, when rounded, then each is itself, and a middle becomes the even neighbour', () => {
  for (let bits = 0; bits < 0x7c00; bits++) {
    const value = valueOf(bits);
    assert.equal(half(value), bits);
    assert.equal(half(-value), bits | 0x8000);
    if (bits === 0x7bff) continue;
    const middle = (value + valueOf(bits + 1)) / 2;
    assert.equal(half(middle), bits + (bits & 1), `${middle}`);
    real[0] = middle;
    assert.equal(halfBits(word[0]! - 1), bits);
    assert.equal(halfBits(word[0]! + 1), bits + 1);
  }
});

test('given numbers beyond the largest half, and none, when rounded, then they are infinite from 65520 on, and no number stays none', () => {
  assert.equal(half(65519.996), 0x7bff);
  for (const value of [65520, 1e30, Infinity]) assert.equal(half(value), 0x7c00);
  assert.equal(half(-Infinity), 0xfc00);
  assert.equal(half(NaN), 0x7e00);
  assert.equal(halfBits(0x7fdeadcd), 0x7e00);
  assert.equal(half(1e-30), 0);
});

test('given three numbers, when they become halves, then these fill whole words', () => {
  const numbers = new Float32Array([9, 1, -2, 0.5]).subarray(1);
  const halves = toHalves(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  assert.deepEqual([...new Uint16Array(halves.buffer)], [0x3c00, 0xc000, 0x3800, 0]);
});

test('given every half, when made a float, then it has its value', () => {
  for (let bits = 0; bits < 0x7c00; bits++) {
    word[0] = toFloat(bits);
    assert.equal(real[0], valueOf(bits));
    word[0] = toFloat(bits | 0x8000);
    assert.equal(real[0], -valueOf(bits));
  }
  word[0] = toFloat(0x7c00);
  assert.equal(real[0], Infinity);
  word[0] = toFloat(0x7e00);
  assert.ok(Number.isNaN(real[0]));
});
