// An assembler of just as much WebAssembly as the tests' kernels need: one function main(args, begin, end) on an imported memory.

export type Code = readonly number[];

const unsigned = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...unsigned(Math.floor(value / 128))]);
function signed(value: number): number[] {
  const low = value & 127, rest = value >> 7;
  return (rest === 0 && low < 64) || (rest === -1 && low >= 64) ? [low] : [low | 128, ...signed(rest)];
}
const text = (name: string): number[] => [name.length, ...Buffer.from(name)];
const vector = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): number[] => [id, ...unsigned(content.length), ...content];

export const parameters = { args: 0, begin: 1, end: 2 };
export const get = (local: number): Code => [0x20, local];
export const set = (local: number, value: Code): Code => [...value, 0x21, local];
export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const f32 = (value: number): Code => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const multiply = (a: Code, b: Code): Code => [...a, ...b, 0x6c];
export const lessThan = (a: Code, b: Code): Code => [...a, ...b, 0x48];
export const addF32 = (a: Code, b: Code): Code => [...a, ...b, 0x92];
export const multiplyF32 = (a: Code, b: Code): Code => [...a, ...b, 0x94];
export const loadI32 = (address: Code): Code => [...address, 0x28, 2, 0];
export const loadF32 = (address: Code): Code => [...address, 0x2a, 2, 0];
export const storeF32 = (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0];
export const call = (index: number, ...values: readonly Code[]): Code => [...values.flat(), 0x10, index];
export const when = (condition: Code, body: Code): Code => [...condition, 0x04, 0x40, ...body, 0x0b];
export const drop = (value: Code): Code => [...value, 0x1a];
export const unreachable: Code = [0x00];
export const endless: Code = [0x03, 0x40, 0x0c, 0, 0x0b];

// for (local = from; local < to; local++) body
export function loop(local: number, from: Code, to: Code, body: Code): Code {
  return [
    ...set(local, from), 0x02, 0x40, 0x03, 0x40, ...get(local), ...to, 0x4e, 0x0d, 1, ...body, ...set(local, add(get(local), i32(1))), 0x0c, 0, 0x0b, 0x0b,
  ];
}

interface Shape {
  shared: boolean;                 // the memory
  imports?: readonly string[];     // functions f32 → f32 of env, called by their position
  locals: { i32: number; f32: number };   // numbered behind the parameters
}

export function assemble({ shared, imports = [], locals }: Shape, body: Code): Uint8Array<ArrayBuffer> {
  const main_type: Code = [0x60, 3, 0x7f, 0x7f, 0x7f, 0], math_type: Code = [0x60, 1, 0x7d, 1, 0x7d];
  const memory = [...text('env'), ...text('memory'), 2, ...(shared ? [3, 1, ...unsigned(65_536)] : [0, 1])];
  const function_body = [...vector([[locals.i32, 0x7f], [locals.f32, 0x7d]]), ...body, 0x0b];
  return Uint8Array.from([
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, vector([main_type, math_type])),
    ...section(2, vector([memory, ...imports.map(name => [...text('env'), ...text(name), 0, 1])])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...text('main'), 0, imports.length]])),
    ...section(10, vector([[...unsigned(function_body.length), ...function_body]])),
  ]);
}
