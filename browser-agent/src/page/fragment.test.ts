import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFragment, withoutCode } from './fragment.ts';

test('given what a launcher writes, when read, then all of it is there', () => {
  assert.deepEqual(readFragment('#token=t&target=wasm&launch=l%201&flags=--a%20--b%3D1&threads=3&device=0123456789abcdef0123456789abcdef&without=relaxed-simd,simd128', 'a browser'), {
    token: 't', code: undefined, launch_id: 'l 1', launch_flags: ['--a', '--b=1'], physical_id: '0123456789abcdef0123456789abcdef', name: 'a browser', choice: { target: 'wasm', clock: 'best', threads_max: 3, without: ['relaxed-simd', 'simd128'] },
  });
});

test('given a target, when read, then it is the choice as far as there is such a device', () => {
  for (const target of ['webgpu', 'webgl', 'wasm', 'native', 'opengl', 'opencl']) assert.equal(readFragment(`#target=${target}`, '').choice.target, target);
});

test('given a clock, when read, then it is the choice', () => {
  for (const clock of ['wall', 'coarse', 'best']) assert.equal(readFragment(`#clock=${clock}`, '').choice.clock, clock);
});

test('given a launcher without flags, when read, then there are none; without a launcher they are not known', () => {
  assert.deepEqual(readFragment('#token=t&launch=l&flags=', '').launch_flags, []);
  assert.equal(readFragment('#token=t', '').launch_flags, undefined);
});

test('given nonsense, when read, then the page has its usual choice and no token', () => {
  assert.deepEqual(readFragment('#target=gpu&clock=sun&threads=-2&device=x', 'x'.repeat(300)), {
    token: '', code: undefined, launch_id: undefined, launch_flags: undefined, physical_id: undefined, name: 'x'.repeat(200), choice: { target: 'best', clock: 'best', threads_max: 0, without: [] },
  });
});

test('given a code, when read, then it is there beside whatever else is; without it the rest stays as it was', () => {
  assert.equal(readFragment('#enroll=c&target=wasm', '').code, 'c');
  assert.equal(readFragment('#enroll=c&target=wasm', '').choice.target, 'wasm');
  assert.equal(withoutCode('#enroll=c'), '');
  assert.equal(withoutCode('#enroll=c&target=wasm&name=a%20b'), '#target=wasm&name=a%20b');
  assert.equal(withoutCode('#target=wasm&enroll=c'), '#target=wasm');
  assert.equal(withoutCode(''), '');
});
