import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelValue, PlanFile } from '../generated/manifest.ts';
import { bytesOf, type Upload } from '../plan/plan.ts';
import { InputMemory } from './input_memory.ts';
import { checkInputs, packInputs, unpackOutputs, type TypedArray } from './values.ts';

const value = (dtype: string, shape: number[] = [3]): ModelValue => ({ name: 'v', dtype, shape });
const planOf = (dtype: string): PlanFile => {
  const port = { value: 0, buffer: 0, dtype, dims: [], bytes: 12 };
  return { buffers: [16], textures: [], kernels: [], launches: [], weights: [], inputs: [port], outputs: [port] };
};

// What kernels get for an input, and what they give back, as it comes out again.
function roundTrip(dtype: string, held: string, given: TypedArray): { words: number[]; back: TypedArray | undefined } {
  const model = { inputs: [value(dtype)], outputs: [value(dtype)] }, plan = planOf(held);
  checkInputs(model.inputs, { v: given });
  const [upload] = packInputs(model, plan, { v: given }), bytes = upload!.bytes as Uint8Array<ArrayBuffer>, own = bytes.slice();
  const words = held === 'f32' ? new Float32Array(own.buffer) : held === 'i32' ? new Int32Array(own.buffer) : new Uint32Array(own.buffer);
  return { words: [...words], back: unpackOutputs(model, plan, own.buffer)['v'] };
}

test('given values of each type, when packed and unpacked, then kernels see words of theirs, and the caller the type of the model', () => {
  const cases: [string, string, TypedArray][] = [
    ['f32', 'f32', Float32Array.of(1, -2.5, 3)], ['f16', 'f32', Float32Array.of(1, -2.5, 3)], ['i32', 'i32', Int32Array.of(1, -2, 3)], ['u32', 'u32', Uint32Array.of(1, 2 ** 32 - 1, 3)],
    ['i64', 'i32', BigInt64Array.of(1n, -2n, 3n)], ['u64', 'u32', BigUint64Array.of(1n, 2n ** 32n - 1n, 3n)], ['i16', 'i32', Int16Array.of(1, -2, 3)], ['u16', 'u32', Uint16Array.of(1, 65535, 3)], ['f64', 'f32', Float32Array.of(1, -2.5, 3)], ['i8', 'i32', Int8Array.of(1, -2, 3)], ['u8', 'u32', Uint8Array.of(1, 255, 3)], ['bool', 'u32', Uint8Array.of(1, 0, 1)], ['bool', 'f32', Uint8Array.of(1, 0, 1)],
  ];
  for (const [dtype, held, given] of cases) {
    const { words, back } = roundTrip(dtype, held, given);
    assert.deepEqual(words, Array.from(given as ArrayLike<number | bigint>, Number), `${dtype} as ${held}`);
    assert.deepEqual(back, given, `${dtype} as ${held}`);
  }
});

test('given a view into a larger array, when packed, then its own part goes', () => {
  const { words } = roundTrip('f32', 'f32', new Float32Array([9, 9, 1, 2, 3, 9]).subarray(2, 5));
  assert.deepEqual(words, [1, 2, 3]);
});

test('given an input that the caller changes after the call, when packed, then the run has what it was', () => {
  const given = Float32Array.of(1, 2, 3), [upload] = packInputs({ inputs: [value('f32')] }, planOf('f32'), { v: given });
  given.fill(7);
  assert.deepEqual([...new Float32Array((upload!.bytes as Uint8Array<ArrayBuffer>).slice().buffer)], [1, 2, 3]);
});

test('given memory of a run before, when packed into it, then it holds the new inputs', () => {
  const memory = new InputMemory(), packed = (given: TypedArray): Upload => packInputs({ inputs: [value('f32')] }, planOf('f32'), { v: given }, memory)[0]!;
  const first = packed(Float32Array.of(1, 2, 3)), meanwhile = packed(Float32Array.of(4, 5, 6));
  assert.notEqual(meanwhile.bytes, first.bytes);
  memory.give([first]);
  const second = packed(Float32Array.of(7, 8, 9));
  assert.equal(second.bytes, first.bytes);
  assert.deepEqual([...new Float32Array(bytesOf(second).buffer)], [7, 8, 9]);
});

test('given whole numbers beyond 32 bits, when packed, then the first one is named', () => {
  const pack = (held: string, given: BigInt64Array) => (): unknown => packInputs({ inputs: [value('i64')] }, planOf(held), { v: given });
  assert.throws(pack('i32', BigInt64Array.of(0n, 2n ** 31n, 0n)), /holds 2147483648 at 1/);
  assert.throws(pack('u32', BigInt64Array.of(0n, 0n, -1n)), /holds -1 at 2/);
  assert.doesNotThrow(pack('i32', BigInt64Array.of(-(2n ** 31n), 2n ** 31n - 1n, 0n)));
});

test('given outputs whose sizes a run tells, when unpacked, then they are as long as it says, and never longer than they may be', () => {
  const outputs: ModelValue[] = [{ name: 'v', dtype: 'i32', shape: [2, 3], lengths: [0, 2] }, { name: 'v.length', dtype: 'i64', shape: [1] }];
  const port = (value: number, bytes: number): PlanFile['outputs'][number] => ({ value, buffer: 0, dtype: 'i32', dims: [], bytes });
  const plan = { ...planOf('i32'), outputs: [port(0, 24), port(1, 16)] };
  const cut = (length: number): TypedArray | undefined => unpackOutputs({ outputs }, plan, Int32Array.of(1, 2, 3, 4, 5, 6, length, 0, 0, 0).buffer)['v'];
  assert.deepEqual(cut(2), Int32Array.of(1, 2, 4, 5));
  assert.deepEqual(cut(0), Int32Array.of());
  assert.deepEqual(cut(9), Int32Array.of(1, 2, 3, 4, 5, 6));
  assert.deepEqual(cut(-1), Int32Array.of());
});

test('given an output that tells of values beyond 32 bits, when unpacked, then the first one that has left is named', () => {
  const outputs: ModelValue[] = [{ name: 'v', dtype: 'i64', shape: [1] }, { name: 'overflow', dtype: 'i32', shape: [1], watched: ['sum', 'product'] }];
  const port = (value: number): PlanFile['outputs'][number] => ({ value, buffer: 0, dtype: 'i32', dims: [], bytes: 16 });
  const plan = { ...planOf('i32'), outputs: [port(0), port(1)] };
  const told = (number: number) => (): unknown => unpackOutputs({ outputs }, plan, Int32Array.of(7, 0, 0, 0, number, 0, 0, 0).buffer);
  assert.throws(told(1), /The value sum left the 32 bits/);
  assert.throws(told(2), /The value product left the 32 bits/);
  assert.throws(told(9), /left the 32 bits/);
  assert.doesNotThrow(told(0));
  assert.doesNotThrow(told(-2147483648));   // of no elements
});
