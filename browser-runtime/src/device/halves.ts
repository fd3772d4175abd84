// Numbers of f32 as halves (f16), and back; each the nearest, ties to even, as the compiler rounds (codegen/ir/numeric.h).

const infinity = 0x7c00, quiet = 0x7e00;
const word = new Uint32Array(1), real = new Float32Array(word.buffer);

// value: the bits of an f32.
export function halfBits(value: number): number {
  const sign = (value >>> 16) & 0x8000, magnitude = value & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | quiet;
  if (magnitude >= 0x477ff000) return sign | infinity;        // 65520 and more: nearer to 65536 than to the largest half
  if (magnitude < 0x38800000) return sign | subnormal(magnitude);
  const bits = magnitude - 0x38000000;                        // the exponent's bias is 15, not 127
  return sign | ((bits + 0xfff + ((bits >>> 13) & 1)) >>> 13);
}

// Below 2^-14 halves are multiples of 2^-24, which is the last place of f32 numbers from 1/2 to 1: the sum rounds.
function subnormal(magnitude: number): number {
  word[0] = magnitude;
  real[0]! += 0.5;
  return word[0]! - 0x3f000000;
}

// The bytes of f32 numbers as those of halves, in whole words of four.
export function toHalves(content: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(content.buffer, content.byteOffset, content.byteLength / 4);
  const halves = new Uint16Array(Math.ceil(words.length / 2) * 2);
  for (let i = 0; i < words.length; i++) halves[i] = halfBits(words[i]!);
  return new Uint8Array(halves.buffer);
}

// The bits of an f32 that is the half with these bits.
export function toFloat(half: number): number {
  const sign = (half & 0x8000) << 16, magnitude = half & 0x7fff;
  if (magnitude >= infinity) return (sign | 0x7f800000 | ((magnitude & 0x3ff) << 13)) >>> 0;
  if (magnitude >= 0x0400) return (sign | ((magnitude << 13) + 0x38000000)) >>> 0;
  real[0] = magnitude * 2 ** -24;
  return (sign | word[0]!) >>> 0;
}
