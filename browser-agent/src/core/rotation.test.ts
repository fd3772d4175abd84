import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, launch } from '../../test/samples.ts';
import type { Binding, Buffer } from '../generated/protocol.ts';
import { rotatingBuffers, rotationFor, setsOf } from './rotation.ts';

const mib = 1 << 20;
const buffer = (role: Buffer['role'], bytes: number): Buffer => ({ name: role, role, dtype: 'f32', shape: [bytes / 4], dims: [], pad: 'any', bytes, seed: 0n, low: -1, high: 1 });
const binding = (kind: Binding['kind'], position: number, writes: boolean): Binding => ({ kind, position, writes, bytes: 16 });
const buffers = [buffer('input', 4 * mib), buffer('constant', 2 * mib), buffer('output', mib)];
// A transform of the weights ahead into scratch 0, then a launch that reads the input, the transformed and other weights, and uses scratch 1.
const transformed = candidate(1, {
  temps: [3 * mib, mib / 2],
  launches: [
    { ...launch, ahead: true, bindings: [binding('arg', 1, false), binding('temp', 0, true)] },
    { ...launch, bindings: [binding('arg', 0, false), binding('temp', 0, false), binding('temp', 1, true), binding('arg', 2, true)] },
  ],
});

test('given a policy and a cache, when copies are planned, then cold ones are twice the cache, a model\'s are what it touches, within the cold ones, and hot ones are none', () => {
  assert.equal(rotationFor('hot', 100 * mib, 32 * mib), undefined);
  assert.deepEqual(rotationFor('cold', 0, 32 * mib), { of: 'all', bytes: 64 * mib });
  assert.deepEqual(rotationFor('cold', 0), { of: 'all', bytes: 64 * mib });
  assert.deepEqual(rotationFor('cold', 0, 512 * mib), { of: 'all', bytes: 256 * mib });
  assert.deepEqual(rotationFor('model', 14 * mib, 32 * mib), { of: 'constants', bytes: 14 * mib });
  assert.deepEqual(rotationFor('model', 400 * mib, 32 * mib), { of: 'constants', bytes: 64 * mib });
});

test('given a candidate whose weights are transformed ahead, when as in a model, then what the transform wrote rotates alone; when cold, then all that is run again', () => {
  const places = (of: 'constants' | 'all') => rotatingBuffers(transformed, buffers, { of, bytes: mib }).map(({ kind, position, bytes }) => `${kind} ${position} ${bytes / mib}`);
  assert.deepEqual(places('constants'), ['temp 0 3']);
  assert.deepEqual(places('all'), ['arg 0 4', 'temp 0 3', 'temp 1 0.5', 'arg 2 1']);
});

test('given a constant in a layout of its own, when as in a model, then so many bytes rotate', () => {
  const packed = candidate(1, { layouts: [{ position: 1, dims: [[0, 1, 4], [1, 1, 2]], bytes: mib, dtype: 'f16' }], launches: [{ ...launch, bindings: [binding('arg', 1, false), binding('arg', 2, true)] }] });
  assert.deepEqual(rotatingBuffers(packed, buffers, { of: 'constants', bytes: mib }), [{ kind: 'arg', position: 1, bytes: mib, label: 'arg 1 f16 [0,1,4 1,1,2]' }]);
});

test('given buffers and bytes to cover, when sets are counted, then they cover them, one at least and 256 at most', () => {
  const rotating = [{ kind: 'arg', position: 0, bytes: 3 * mib, label: '' }, { kind: 'arg', position: 2, bytes: mib, label: '' }] as const;
  assert.equal(setsOf({ of: 'all', bytes: 64 * mib }, rotating), 16);
  assert.equal(setsOf({ of: 'all', bytes: 2 * mib }, rotating), 1);
  assert.equal(setsOf({ of: 'all', bytes: 64 * mib }, [{ ...rotating[0], bytes: 64 }]), 256);
  assert.equal(setsOf({ of: 'constants', bytes: 64 * mib }, []), 1);
});

test('given a device with room for so many copies, when sets are counted, then their copies fit, and fewer of a candidate with more buffers', () => {
  const small = (count: number) => Array.from({ length: count }, (_, position) => ({ kind: 'arg', position, bytes: 64, label: '' } as const));
  assert.equal(setsOf({ of: 'all', bytes: 64 * mib }, small(3), 1024), 256);
  assert.equal(setsOf({ of: 'all', bytes: 64 * mib }, small(8), 1024), 129);
  assert.equal(setsOf({ of: 'all', bytes: 512 }, small(1), 1024), 8);
});
