// Numbers that stand for a model's inputs, always the same.
import type { ModelValue, TypedArray, Values } from '../package/load.ts';

export function generatedInputs(inputs: readonly ModelValue[]): Values {
  return Object.fromEntries(inputs.map(({ name, dtype, shape }) => [name, generated(dtype, shape.reduce((a, b) => a * b, 1))]));
}

// Floats from -1 to 1; whole numbers 0 and 1, which are indices into nearly everything.
function generated(dtype: string, count: number): TypedArray {
  let state = 1;
  const next = (): number => (state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0) / 2 ** 31;
  const whole = { length: count }, bit = (): number => (next() < 0 ? 0 : 1);
  switch (dtype) {
    case 'i64': return BigInt64Array.from(whole, () => BigInt(bit()));
    case 'u64': return BigUint64Array.from(whole, () => BigInt(bit()));
    case 'i16': return Int16Array.from(whole, bit);
    case 'u16': return Uint16Array.from(whole, bit);
    case 'i32': return Int32Array.from(whole, bit);
    case 'u32': return Uint32Array.from(whole, bit);
    case 'i8': return Int8Array.from(whole, bit);
    case 'u8': case 'bool': return Uint8Array.from(whole, bit);
    default: return Float32Array.from(whole, next);
  }
}
