import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelValue } from '../package/load.ts';
import { cropOf, pictureInput, tensorOf } from './picture.ts';

const value = (name: string, shape: number[], dtype = 'f32'): ModelValue => ({ name, shape, dtype }) as ModelValue;

test('given inputs of a model, when one alone has the shape of a picture, then it is the one; else there is none', () => {
  assert.deepEqual(pictureInput([value('ids', [1, 8], 'i64'), value('image', [1, 3, 224, 200])]), { name: 'image', channels: 3, height: 224, width: 200, channels_last: false });
  assert.deepEqual(pictureInput([value('x', [1, 28, 28, 1])]), { name: 'x', channels: 1, height: 28, width: 28, channels_last: true });
  for (const shapes of [[[1, 5, 64, 64]], [[2, 3, 64, 64]], [[1, 3, 64]], [[1, 3, 4, 64]], [[1, 3, 64, 64], [1, 3, 64, 64]], []])
    assert.equal(pictureInput(shapes.map((shape, i) => value(`x${i}`, shape))), undefined, JSON.stringify(shapes));
  assert.equal(pictureInput([value('x', [1, 3, 64, 64], 'u8')]), undefined);
});

test('given pictures that are wider, higher or as the input, when cropped, then the middle is taken without stretching', () => {
  const input = { width: 100, height: 50 };
  assert.deepEqual(cropOf({ width: 400, height: 100 }, input), [100, 0, 200, 100]);
  assert.deepEqual(cropOf({ width: 100, height: 150 }, input), [0, 50, 100, 50]);
  assert.deepEqual(cropOf({ width: 50, height: 25 }, input), [0, 0, 50, 25]);
});

test('given two pixels, when made a tensor, then channels lie as the input says, from 0 to 1, and one channel is the luminance', () => {
  const rgba = [255, 0, 51, 255, 0, 255, 0, 0], input = { name: 'x', height: 1, width: 2 };
  const numbers = (channels: 1 | 3 | 4, channels_last: boolean): number[] => [...tensorOf(rgba, { ...input, channels, channels_last })].map(number => Number(number.toFixed(4)));
  assert.deepEqual(numbers(3, false), [1, 0, 0, 1, 0.2, 0]);
  assert.deepEqual(numbers(3, true), [1, 0, 0.2, 0, 1, 0]);
  assert.deepEqual(numbers(4, true), [1, 0, 0.2, 1, 0, 1, 0, 0]);
  assert.deepEqual(numbers(1, false), [0.227, 0.7152]);
});
