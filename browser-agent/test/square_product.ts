// The test's task: C = A · B for square matrices, with its reference and some kernels, right and wrong. Plain WGSL text by hand.
import type { Buffer as TaskBuffer, Launch } from '../src/generated/protocol.ts';

const mask = (1n << 64n) - 1n;

// base/hash.cc and base/value_range.h, told again so that a mistake in one of them shows.
function mix64(z: bigint): bigint {
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  return z ^ (z >> 31n);
}

function wordAt(seed: bigint, index: number): bigint {
  return mix64((seed + 0x9e3779b97f4a7c15n + mix64(BigInt(index))) & mask);
}

// Of [-1, 1).
function realAt(seed: bigint, index: number): number {
  const part = Number(wordAt(seed, index) >> 40n) / 2 ** 24;
  return Math.fround(part < 0.5 ? -(0.25 + 0.75 * (1 - 2 * part)) : 0.25 + 0.75 * (2 * part - 1));
}

// Of [low, high].
export function wholeAt(low: number, high: number, seed: bigint, index: number): number {
  if (index === 0 && low < 0) high = Math.min(high, -1);
  else if (index === 0) low += Math.floor((high - low + 1) / 2);
  return low + Number(((wordAt(seed, index) >> 32n) * BigInt(high - low + 1)) >> 32n);
}

export class SquareProduct {
  constructor(readonly n: number) {}

  buffers(): TaskBuffer[] {
    const shape = [this.n, this.n], bytes = this.n * this.n * 4, common = { dtype: 'f32', shape, dims: [], pad: 'any' as const, bytes, low: -1, high: 1 };
    return [
      { name: 'a', role: 'input', seed: 0x0123456789abcdefn, ...common },
      { name: 'b', role: 'constant', seed: 0xfedcba9876543210n, ...common },
      { name: 'c', role: 'output', seed: 0n, ...common },
    ];
  }

  reference(): Float32Array {
    const { n } = this, [a, b] = this.buffers().map(buffer => Float64Array.from({ length: n * n }, (_, i) => realAt(buffer.seed, i)));
    const c = new Float32Array(n * n);
    if (a === undefined || b === undefined) return c;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += (a[i * n + k] ?? 0) * (b[k * n + j] ?? 0);
        c[i * n + j] = sum;
      }
    }
    return c;
  }

  // One thread per element; `body` may change what is summed or stored.
  launch(options: { sum?: string; store?: string; prologue?: string } = {}): Launch {
    const { n } = this, size = n * n;
    const code = `
@group(0) @binding(0) var<storage, read> a: array<f32, ${size}>;
@group(0) @binding(1) var<storage, read> b: array<f32, ${size}>;
@group(0) @binding(2) var<storage, read_write> c: array<f32, ${size}>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y; let j = id.x;
  ${options.prologue ?? ''}
  var sum = 0.0;
  for (var k = 0u; k < ${n}u; k++) { ${options.sum ?? `sum += a[i * ${n}u + k] * b[k * ${n}u + j];`} }
  ${options.store ?? `c[i * ${n}u + j] = sum;`}
}`;
    const bytes = size * 4, tiles = Math.ceil(n / 8);
    return {
      code, module_bytes: 0, scratch_bytes: 0, grid: [tiles, tiles, 1], threads: [8, 8, 1],
      bindings: [0, 1, 2].map(position => ({ kind: 'arg' as const, position, writes: position === 2, bytes })),
    };
  }
}
