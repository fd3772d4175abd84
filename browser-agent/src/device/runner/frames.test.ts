import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, FrameReader } from './frames.ts';

const first = encodeFrame({ do: 'write', buffer: 3 }, Uint8Array.of(1, 2, 3));
const second = encodeFrame({ do: 'hello', name: 'ü' }, new Uint8Array(0));

test('given two frames, when they come in pieces of any size, then both are put together', () => {
  const stream = new Uint8Array([...first, ...second]);
  for (let size = 1; size <= stream.length; size++) {
    const reader = new FrameReader();
    const frames = [];
    for (let at = 0; at < stream.length; at += size) frames.push(...reader.take(stream.subarray(at, at + size)));
    assert.deepEqual(frames.map(({ header }) => header), [{ do: 'write', buffer: 3 }, { do: 'hello', name: 'ü' }]);
    assert.deepEqual(frames.map(({ payload }) => [...payload]), [[1, 2, 3], []]);
  }
});

test('given a header that is no object, when read, then the reader says so', () => {
  const frame = encodeFrame({}, new Uint8Array(0));
  frame.set(new TextEncoder().encode('12'), 8);
  assert.throws(() => new FrameReader().take(frame), /not a JSON object/);
});
