// A package made by hand: y = x · w on 4×6 and 6×8 numbers, and twice = 2 · ids of whole numbers, for all backends. Kernels see x in rows of 8, w by
// columns of 8 (what is beyond 6 is padding, which must be zero), and y by columns; so packing and unpacking take part.
import { createHash } from 'node:crypto';
import type { Asset, Backend, Manifest, PlanFile, PlanHead, Texture } from '../src/generated/manifest.ts';
import { add, addF32, assemble, f32, get, i32, loadF32, loadI32, loop, multiply, multiplyF32, parameters, set, type Code } from '../../browser-agent/test/wasm_module.ts';

export const rows = 4, depth = 6, columns = 8, padded = 8, ids = 5;
export const weights = Float32Array.from({ length: depth * columns }, (_, i) => Math.cos(i));
export const x = Float32Array.from({ length: rows * depth }, (_, i) => Math.sin(i));
export const expected = Float32Array.from({ length: rows * columns }, (_, at) => {
  let sum = 0;
  for (let k = 0; k < depth; k++) sum += x[Math.floor(at / columns) * depth + k]! * weights[k * columns + at % columns]!;
  return sum;
});

export type Files = Map<string, Buffer>;

// change: of the plan's code, so that it fails; behind: of the manifest.
export interface Change {
  backends?: readonly Backend[];
  head?: (head: PlanHead) => Partial<PlanHead>;
  code?: (backend: Backend, code: Uint8Array) => Uint8Array;
}

export function tinyPackage({ backends = ['webgpu', 'webgl', 'wasm'], head = () => ({}), code = (_, bytes) => bytes }: Change = {}): Files {
  const files: Files = new Map(), bytes = Buffer.alloc(weights.byteLength + 16);
  Buffer.from(weights.buffer).copy(bytes, 16);   // not at the beginning, and over the border of two chunks
  const chunks = [bytes.subarray(0, 100), bytes.subarray(100)].map(chunk => addFile(files, 'weights', 'bin', chunk));
  const plans = backends.map(backend => {
    const sources = kernels[backend].map(source => code(backend, source)), { plan, blob } = planOf(backend, sources);
    const made: PlanHead = {
      backend, made_for: 'portable', vendor: '', architecture: '', browser: '', features: [], limits: {}, tuned: 0, tasks: 2,
      memory_bytes: plan.buffers.reduce((a, b) => a + b, 0), plan: addFile(files, backend, 'json', Buffer.from(JSON.stringify(plan))), kernels: addFile(files, backend, 'bin', blob),
    };
    return { ...made, ...head(made) };
  });
  const manifest: Manifest = {
    format: 'hone.package', version: 1, made_by: 'a test', model: 'tiny',
    inputs: [{ name: 'x', dtype: 'f32', shape: [rows, depth] }, { name: 'ids', dtype: 'i64', shape: [ids] }],
    outputs: [{ name: 'y', dtype: 'f32', shape: [rows, columns] }, { name: 'twice', dtype: 'i64', shape: [ids] }],
    weights: [{ dtype: 'f32', shape: [depth, columns], offset: 16, bytes: weights.byteLength }], chunks, plans,
  };
  files.set('manifest.json', Buffer.from(JSON.stringify(manifest)));
  return files;
}

export function manifestOf(files: Files): Manifest {
  return JSON.parse(String(files.get('manifest.json'))) as Manifest;
}

function addFile(files: Files, name: string, extension: string, content: Buffer): Asset {
  const sha256 = createHash('sha256').update(content).digest('hex'), file = `${name}-${sha256.slice(0, 8)}.${extension}`;
  files.set(file, content);
  return { file, bytes: content.length, sha256 };
}

const x_bytes = rows * padded * 4, w_bytes = columns * padded * 4, y_bytes = columns * rows * 4, ids_bytes = 32;

function planOf(backend: Backend, sources: readonly Uint8Array[]): { plan: PlanFile; blob: Buffer } {
  let offset = 0;
  const texture = (width: number, height: number, format: string): Texture => ({ width, height, layers: 1, format });
  const grid = (webgl: [number, number, number], wasm: [number, number, number]): [number, number, number] => (backend === 'webgl' ? webgl : backend === 'wasm' ? wasm : [1, 1, 1]);
  const plan: PlanFile = {
    buffers: [x_bytes, w_bytes, y_bytes, ids_bytes, ids_bytes],
    textures: backend === 'webgl' ? [texture(2, rows, 'rgba32f'), texture(2, columns, 'rgba32f'), texture(1, columns, 'rgba32f'), texture(2, 1, 'rgba32i'), texture(2, 1, 'rgba32i')] : [],
    kernels: sources.map((source, i) => {
      const bytes = source.length, begin = offset;
      offset += bytes;
      return { offset: begin, bytes, writes: i === 0 ? [false, false, true] : [false, true], scratch_bytes: 0 };
    }),
    launches: [
      { kernel: 0, grid: grid([1, columns, 1], [columns, 1, 1]), buffers: [0, 1, 2], binding_bytes: [x_bytes, w_bytes, y_bytes] },
      { kernel: 1, grid: grid([2, 1, 1], [ids, 1, 1]), buffers: [3, 4], binding_bytes: [ids_bytes, ids_bytes] },
    ],
    weights: [{ weight: 0, buffer: 1, dtype: 'f32', dims: [[1, 1, columns], [0, 1, padded]], bytes: w_bytes }],
    inputs: [{ value: 0, buffer: 0, dtype: 'f32', dims: [[0, 1, rows], [1, 1, padded]], bytes: x_bytes }, { value: 1, buffer: 3, dtype: 'i32', dims: [], bytes: ids * 4 }],
    outputs: [{ value: 0, buffer: 2, dtype: 'f32', dims: [[1, 1, columns], [0, 1, rows]], bytes: y_bytes }, { value: 1, buffer: 4, dtype: 'i32', dims: [], bytes: ids * 4 }],
  };
  return { plan, blob: Buffer.concat(sources) };
}

const text = (source: string): Uint8Array => Buffer.from(source);

const wgsl = [
  text(`@group(0) @binding(0) var<storage, read> x: array<f32, ${rows * padded}>;
@group(0) @binding(1) var<storage, read> w: array<f32, ${columns * padded}>;
@group(0) @binding(2) var<storage, read_write> y: array<f32, ${columns * rows}>;
@compute @workgroup_size(${rows * columns}) fn main(@builtin(local_invocation_index) i: u32) {
  let j = i / ${rows}u; let r = i % ${rows}u;
  var sum = 0.0;
  for (var k = 0u; k < ${padded}u; k++) { sum += x[r * ${padded}u + k] * w[j * ${padded}u + k]; }
  y[i] = sum;
}`),
  text(`@group(0) @binding(0) var<storage, read> ids: array<i32, 8>;
@group(0) @binding(1) var<storage, read_write> twice: array<i32, 8>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) { twice[i] = 2 * ids[i]; }`),
];

const dot = (row: number): string => `dot(texelFetch(b0, ivec2(0, ${row}), 0), texelFetch(b1, ivec2(0, j), 0)) + dot(texelFetch(b0, ivec2(1, ${row}), 0), texelFetch(b1, ivec2(1, j), 0))`;
const glsl = [
  text(`#version 300 es
precision highp float; precision highp int; precision highp sampler2D;
uniform sampler2D b0; uniform sampler2D b1;
layout(location = 0) out vec4 c;
void main() { int j = int(gl_FragCoord.y); c = vec4(${[0, 1, 2, 3].map(dot).join(', ')}); }`),
  text(`#version 300 es
precision highp float; precision highp int; precision highp isampler2D;
uniform isampler2D b0;
layout(location = 0) out ivec4 c;
void main() { c = 2 * texelFetch(b0, ivec2(gl_FragCoord.xy), 0); }`),
];

const [a, b, c, i, r, k, sum] = [3, 4, 5, 6, 7, 8, 9];
const at = (base: number, index: Code): Code => add(get(base), multiply(index, i32(4)));
const argument = (position: number): Code => loadI32(add(get(parameters.args), i32(4 * position)));
const storeF32 = (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0];
const storeI32 = (address: Code, value: Code): Code => [...address, ...value, 0x36, 2, 0];
const linear = (row: number, width: number, column: number): Code => add(multiply(get(row), i32(width)), get(column));
const locals = { i32: 6, f32: 1 };

const wasm = [
  assemble({ shared: true, locals }, [
    ...set(a, argument(0)), ...set(b, argument(1)), ...set(c, argument(2)),
    ...loop(i, get(parameters.begin), get(parameters.end), loop(r, i32(0), i32(rows), [
      ...set(sum, f32(0)),
      ...loop(k, i32(0), i32(padded), set(sum, addF32(get(sum), multiplyF32(loadF32(at(a, linear(r, padded, k))), loadF32(at(b, linear(i, padded, k))))))),
      ...storeF32(at(c, linear(i, rows, r)), get(sum)),
    ])),
  ]),
  assemble({ shared: false, locals }, [
    ...set(a, argument(0)), ...set(b, argument(1)),
    ...loop(i, get(parameters.begin), get(parameters.end), storeI32(at(b, get(i)), multiply(i32(2), loadI32(at(a, get(i)))))),
  ]),
];

const kernels: Record<Backend, readonly Uint8Array[]> = { webgpu: wgsl, webgl: glsl, wasm };
