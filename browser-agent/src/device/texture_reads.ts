// Draws that read a texture in working sets that grow, by which the size of a GPU's last cache is told where kernels are draws (core/cache_size.ts): every
// fragment reads texels that lie next to its neighbours', all of them together the whole set, again and again. A set is so many rows.
import { workingSets } from '../core/cache_size.ts';
import type { Texture } from '../generated/protocol.ts';

const texel_bytes = 16;
const round_bytes = 1 << 20;     // that the fragments of a draw read at once
const side_max = 4096;           // 256 MiB

export const sample_ns_min = 1e6;
export const steps_min = 10;     // of the clock

export interface TextureReads {
  readonly sets: readonly number[];   // bytes
  readonly round_bytes: number;
  readonly data: Texture;             // what is read
  readonly fill: string;              // draws it
  readonly walk: Texture;             // one texel, as walkTo has it
  readonly read: string;              // draws `target`, from b0, the data, and b1, the walk
  readonly target: Texture;
}

// size_max: of a texture's side.
export function textureReads(size_max: number): TextureReads {
  const side = 2 ** Math.floor(Math.log2(Math.min(side_max, size_max))), rows = round_bytes / texel_bytes / side;
  return {
    sets: workingSets(side * side * texel_bytes), round_bytes,
    data: { width: side, height: side, layers: 1, format: 'rgba32f' }, fill: fill(side),
    walk: { width: 1, height: 1, layers: 1, format: 'rgba32i' },
    read: read(side, rows), target: { width: side, height: rows, layers: 1, format: 'rgba32f' },
  };
}

// The content of the walk's texel: over the first bytes of the data, so many rounds.
export function walkTo(bytes: number, rounds: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array([bytes / round_bytes, rounds, 0, 0]);
}

// Of what GPUs keep compressed, reads would cost less than of what kernels read: so it is noise.
const fill = (side: number): string => `#version 300 es
precision highp float; precision highp int;
layout(location = 0) out vec4 result;
void main() {
  uvec4 n = uint(gl_FragCoord.y) * ${side}u + uint(gl_FragCoord.x) + uvec4(1, 2, 3, 4) * 0x9e3779b9u;
  n = (n ^ (n >> 16u)) * 0x7feb352du;
  n = (n ^ (n >> 15u)) * 0x846ca68bu;
  result = vec4(n ^ (n >> 16u)) / 4294967296.0;
}`;

// Where fewer fragments are under way at once than there are, each round of the set begins elsewhere in its rows, by about the golden section of them: they come
// back to a texel only after most of the set.
const read = (side: number, rows: number): string => `#version 300 es
precision highp float; precision highp int; precision highp sampler2D; precision highp isampler2D;
uniform sampler2D b0;
uniform isampler2D b1;
layout(location = 0) out vec4 result;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy), walk = texelFetch(b1, ivec2(0), 0).xy;
  vec4 sum = vec4(0.0);
  for (int i = 0, part = 0; i < walk.y; i++) {
    sum += texelFetch(b0, ivec2(at.x, at.y + part * ${rows}), 0);
    if (++part == walk.x) {
      part = 0;
      at.x = (at.x + ${39 * side / 64}) & ${side - 1};
    }
  }
  result = sum;
}`;
