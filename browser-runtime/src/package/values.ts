// Between what a caller has, typed arrays, and what the kernels of a plan read and write.
import type { Outputs } from './device.ts';
import type { Manifest, ModelValue, PlanFile, PlanPort } from '../generated/manifest.ts';
import { InputMemory } from './input_memory.ts';
import { elementsOf, packInto, sizeOf, unpack } from './pack.ts';
import { PackageError } from './package_error.ts';
import type { Upload } from '../plan/plan.ts';

export type TypedArray = Float32Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array | Int16Array | Uint16Array | Int8Array | Uint8Array | Uint8ClampedArray;
export type Values = Record<string, TypedArray>;
export type Inputs = Record<string, TypedArray | GPUBuffer>;

export const isGpuBuffer = (value: unknown): value is GPUBuffer => typeof GPUBuffer !== 'undefined' && value instanceof GPUBuffer;

type ArrayClass = new (length: number) => TypedArray;

// By the dtype of the model; the first is what comes out. Numbers that JavaScript has no array of, and doubles, are floats.
const classes: Record<string, readonly [ArrayClass, ...ArrayClass[]]> = {
  i32: [Int32Array], u32: [Uint32Array], i64: [BigInt64Array], u64: [BigUint64Array], i16: [Int16Array], u16: [Uint16Array], i8: [Int8Array],
  u8: [Uint8Array, Uint8ClampedArray], bool: [Uint8Array],
};
const floats: readonly [ArrayClass] = [Float32Array];

// Throws one sentence for what does not fit the model.
export function checkInputs(inputs: readonly ModelValue[], given: Readonly<Inputs>): void {
  const names = inputs.map(({ name }) => name).join(', ');
  const unknown = Object.keys(given).find(name => !inputs.some(input => input.name === name));
  if (unknown !== undefined) throw new PackageError(`The model has no input ${unknown}; it takes ${names || 'none'}.`);
  for (const { name, dtype, shape } of inputs) {
    const value = given[name], expected = classes[dtype] ?? floats, count = elementsOf(shape);
    if (value === undefined) throw new PackageError(`The input ${name} is missing: give a ${expected[0].name} of ${count} elements.`);
    if (isGpuBuffer(value)) {
      if (value.size !== 4 * count) throw new PackageError(`The input ${name} is a GPUBuffer of ${value.size} bytes, its shape [${shape.join(', ')}] has ${4 * count}, four for each element.`);
      continue;
    }
    if (!expected.some(type => value instanceof type)) throw new PackageError(`The input ${name} is a ${typeNameOf(value)}, expected a ${expected.map(type => type.name).join(' or ')} (${dtype}).`);
    if (value.length !== count) throw new PackageError(`The input ${name} has ${value.length} elements, its shape [${shape.join(', ')}] has ${count}.`);
  }
}

// Of all inputs the content of their buffers, in memory that nobody else has: the caller may go on writing to its own. Throws one sentence for a whole
// number beyond 32 bits.
export function packInputs({ inputs }: Pick<Manifest, 'inputs'>, plan: PlanFile, given: Readonly<Values>, memory = new InputMemory()): Upload[] {
  return plan.inputs.map(port => {
    const { name, shape } = inputs[port.value]!, content = wordsOf(name, given[name]!, port.dtype), bytes = memory.take(port);
    packInto(bytes, { dtype: port.dtype === 'f16' ? 'f32' : port.dtype, shape, content }, port);
    return { buffer: port.buffer, bytes };
  });
}

// content: of all outputs of the plan. Those whose size only a run tells are as long as it says. Throws one sentence where a whole number has left the 32 bits in
// which it is computed.
export function unpackOutputs({ outputs }: Pick<Manifest, 'outputs'>, plan: PlanFile, content: Outputs): Values {
  const values: Values = {}, parts = partsOf(plan, content);
  for (const [i, port] of plan.outputs.entries()) {
    const { name, dtype, shape } = outputs[port.value]!;
    values[name] = fromWords(unpack(parts[i]! as Uint8Array<ArrayBuffer>, shape, port.dims), dtype, port);
  }
  for (const { name, watched } of outputs) if (watched !== undefined) checkTold(watched, Number(values[name]![0]));
  for (const { name, shape, lengths } of outputs) if (lengths !== undefined) values[name] = cut(values[name]!, shape, lengths.map(position => lengthIn(values, outputs[position - 1])));
  return values;
}

function partsOf({ outputs }: PlanFile, content: Outputs): readonly Uint8Array[] {
  if (!(content instanceof ArrayBuffer)) return content;
  let at = 0;
  return outputs.map(({ bytes }) => new Uint8Array(content, (at += bytes) - bytes, bytes));
}

// told: 1 + the place of the first value that has left.
export function checkTold(watched: readonly string[], told: number): void {
  if (told > 0) throw new PackageError(`The value ${watched[told - 1] ?? 'of a whole number'} left the 32 bits in which devices compute whole numbers of 64, and what follows from it would be wrong: give inputs that keep it smaller.`);
}

// undefined: all of the dimension counts.
function lengthIn(values: Readonly<Values>, output: ModelValue | undefined): number | undefined {
  return output === undefined ? undefined : Number(values[output.name]![0]);
}

// Row-major; a length out of range counts as the nearest one in it.
function cut(value: TypedArray, shape: readonly number[], lengths: readonly (number | undefined)[]): TypedArray {
  const kept = shape.map((extent, d) => Math.min(extent, Math.max(0, lengths[d] ?? extent)));
  const made = new (value.constructor as ArrayClass)(elementsOf(kept)), row = kept.at(-1) ?? 1;
  for (let to = 0; to < made.length; to += row) made.set(value.subarray(...rowAt(to, row, kept, shape)) as never, to);
  return made;
}

// Where the row that begins at element `to` of the kept ones lies among all.
function rowAt(to: number, row: number, kept: readonly number[], shape: readonly number[]): [number, number] {
  let rest = to / row, from = 0, stride = shape.at(-1) ?? 1;
  for (let d = shape.length - 2; d >= 0; d--) {
    from += rest % kept[d]! * stride;
    rest = Math.floor(rest / kept[d]!);
    stride *= shape[d]!;
  }
  return [from, from + row];
}

// Elements in four bytes each.
function wordsOf(name: string, value: TypedArray, dtype: string): Uint8Array<ArrayBuffer> {
  if (value instanceof BigInt64Array || value instanceof BigUint64Array) return asBytes(narrow(name, value, dtype));
  const is_float = dtype === 'f32' || dtype === 'f16';
  if (is_float) return asBytes(value instanceof Float32Array ? value : Float32Array.from(value));
  return asBytes(sizeOf(dtype) === value.BYTES_PER_ELEMENT ? value : dtype === 'u32' ? Uint32Array.from(value) : Int32Array.from(value));
}

function asBytes({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return (buffer instanceof ArrayBuffer ? bytes : bytes.slice()) as Uint8Array<ArrayBuffer>;
}

// Kernels know whole numbers of 32 bits.
function narrow(name: string, value: BigInt64Array | BigUint64Array, dtype: string): Int32Array | Uint32Array | Float32Array {
  const [low, high] = dtype === 'u32' ? [0n, 0xffffffffn] : [-0x80000000n, 0x7fffffffn];
  const beyond = value.findIndex(element => element < low || element > high);
  if (beyond >= 0) throw new PackageError(`The input ${name} holds ${value[beyond]} at ${beyond}, and its kernels know whole numbers from ${low} to ${high}.`);
  const numbers = Array.from(value, Number);
  return dtype === 'u32' ? Uint32Array.from(numbers) : dtype === 'i32' ? Int32Array.from(numbers) : Float32Array.from(numbers);
}

function fromWords(words: Uint32Array<ArrayBuffer>, dtype: string, port: PlanPort): TypedArray {
  const numbers = port.dtype === 'f32' ? new Float32Array(words.buffer) : port.dtype === 'i32' ? new Int32Array(words.buffer) : words;
  switch (dtype) {
    case 'i64': return BigInt64Array.from(wholes(numbers));
    case 'u64': return BigUint64Array.from(wholes(numbers));
    case 'bool': return Uint8Array.from(numbers, value => (value === 0 ? 0 : 1));
    default: {
      const [made] = classes[dtype] ?? floats;
      return numbers instanceof made ? numbers : (made as unknown as { from(of: ArrayLike<number>): TypedArray }).from(numbers);
    }
  }
}

function wholes(numbers: ArrayLike<number>): bigint[] {
  return Array.from(numbers, value => BigInt(Math.trunc(value)));
}

function typeNameOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
}
