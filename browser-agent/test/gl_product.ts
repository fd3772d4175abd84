// Kernels of the test's product for WebGL 2, by hand, as the compiler's contract has them (codegen/emit/glsl/emit_glsl.h).
import type { Binding, Candidate, Launch, Texture } from '../src/generated/protocol.ts';
import { SquareProduct } from './square_product.ts';

export interface GlOptions {
  layers?: number;           // of C: its rows in so many equal parts
  by_remainder?: boolean;    // C's rows i with equal i % layers share a layer: another layout than the task's
  a_layers?: number;         // of A, likewise
  a_by_columns?: boolean;    // A lies column by column: another layout than the task's
  value?: string;            // what is stored of `sum`
  guard?: string;            // fragments that are discarded
  head?: string;
  b_halves?: boolean;        // B's numbers are of f16
}

export class GlProduct extends SquareProduct {
  texture(layers = 1): Texture {
    return { width: this.n / 4, height: this.n / layers, layers, format: 'rgba32f' };
  }

  // Four columns of so many rows as C has layers per fragment.
  glLaunch({ layers = 1, by_remainder = false, a_layers = 1, a_by_columns = false, value = 'sum', guard = '', head = '', b_halves = false }: GlOptions = {}): Launch {
    const { n } = this, part = n / layers, a_part = n / a_layers;
    const outs = Array.from({ length: layers }, (_, l) => `layout(location = ${l}) out vec4 c${l};`).join('\n');
    const down = (c: number): string => `texelFetch(b0, ivec2(i / 4, 4 * k + ${c}), 0)[i % 4]`;
    const fetch = a_by_columns ? `vec4(${[0, 1, 2, 3].map(down).join(', ')})` : a_layers === 1 ? 'texelFetch(b0, ivec2(k, i), 0)' : `texelFetch(b0, ivec3(k, i % ${a_part}, i / ${a_part}), 0)`;
    const row = (l: number): string => (by_remainder ? `p.y * ${layers} + ${l}` : `p.y + ${l * part}`);
    const code = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D; precision highp sampler2DArray;
uniform ${a_layers === 1 ? 'sampler2D' : 'sampler2DArray'} b0;
uniform sampler2D b1;
${outs}
${head}
vec4 product(int i, int j) {
  vec4 sum = vec4(0.0);
  for (int k = 0; k < ${n / 4}; k++) {
    vec4 a = ${fetch};
    sum += a.x * texelFetch(b1, ivec2(j, 4 * k), 0) + a.y * texelFetch(b1, ivec2(j, 4 * k + 1), 0)
         + a.z * texelFetch(b1, ivec2(j, 4 * k + 2), 0) + a.w * texelFetch(b1, ivec2(j, 4 * k + 3), 0);
  }
  return ${value};
}
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  ${guard}
${Array.from({ length: layers }, (_, l) => `  c${l} = product(${row(l)}, p.x);`).join('\n')}
}`;
    const bind = (position: number, texture: Texture): Binding => ({ kind: 'arg', position, writes: position === 2, bytes: n * n * (texture.format === 'rgba16f' ? 2 : 4), texture });
    return {
      code, module_bytes: 0, scratch_bytes: 0, grid: [n / 4, part, 1], threads: [1, 1, 1],
      bindings: [bind(0, this.texture(a_layers)), bind(1, b_halves ? { ...this.texture(), format: 'rgba16f' } : this.texture()), bind(2, this.texture(layers))],
    };
  }

  // The product, and a launch behind it that leaves a mark in scratch texture 0, of 16 bytes, by which the product's first element is wrong from then on.
  rightOnce(): Launch[] {
    const mark: Binding = { kind: 'temp', position: 0, writes: true, bytes: 16, texture: { width: 1, height: 1, layers: 1, format: 'rgba32f' } };
    const { bindings, ...launch } = this.glLaunch({ head: 'uniform sampler2D b3;', value: 'i + j == 0 && texelFetch(b3, ivec2(0, 0), 0).x == 1.0 ? sum + vec4(9.0, 0.0, 0.0, 0.0) : sum' });
    const code = '#version 300 es\nprecision highp float;\nlayout(location = 0) out vec4 mark;\nvoid main() { mark = vec4(1.0); }';
    return [{ ...launch, bindings: [...bindings, { ...mark, writes: false }] }, { ...launch, code, grid: [1, 1, 1], bindings: [mark] }];
  }

  // Right kernels whose textures of one argument differ. Halves err by up to 4e-3.
  variants(): Pick<Candidate, 'launches' | 'layouts'>[] {
    const bytes = this.n * this.n * 4, by_columns = { position: 0, dims: this.columnDims(), bytes }, halves = { position: 1, dims: [], bytes: bytes / 2, dtype: 'f16' };
    const task_layouts = [{}, { a_layers: 4 }, { layers: 8 }].map(options => ({ launches: [this.glLaunch(options)], layouts: [] }));
    return [...task_layouts, { launches: [this.glLaunch({ a_by_columns: true })], layouts: [by_columns] }, { launches: [this.glLaunch({ b_halves: true })], layouts: [halves] }];
  }

  times(x: Float32Array, y: Float32Array): Float32Array {
    const { n } = this;
    return Float32Array.from({ length: n * n }, (_, at) => {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += (x[Math.floor(at / n) * n + k] ?? 0) * (y[k * n + at % n] ?? 0);
      return sum;
    });
  }

  // Of a_by_columns.
  columnDims(): [number, number, number][] {
    return [[1, 1, this.n], [0, 1, this.n]];
  }

  // Of by_remainder.
  remainderDims(layers: number): [number, number, number][] {
    return [[0, 1, layers], [0, layers, this.n / layers], [1, 1, this.n]];
  }
}
