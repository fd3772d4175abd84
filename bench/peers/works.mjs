// The operators of the comparison. `spec` is how hone names one, `inputs` are row-major in ONNX's layout.
const matmul = n => ({ name: `matmul_${n}`, op: 'matmul', spec: `matmul:${n}x${n}x${n}`, output: [n, n], flops: 2 * n ** 3,
  inputs: [{ name: 'A', shape: [n, n] }, { name: 'B', shape: [n, n] }] });

const conv = (size, channels) => ({ name: `conv_${size}_${channels}_3x3`, op: 'conv', pad: 1, stride: 1,
  spec: `conv:1x${channels}x${size}x${size},${channels}x${channels}x3x3,pad=1,stride=1`,
  output: [1, channels, size, size], flops: 2 * size * size * channels * channels * 9,
  inputs: [{ name: 'X', shape: [1, channels, size, size] }, { name: 'W', shape: [channels, channels, 3, 3], constant: true }] });

// MatMul 512³ and the four 3×3 convolutions of ResNet-18.
export const WORKS = [matmul(512), conv(56, 64), conv(28, 128), conv(14, 256), conv(7, 512)];

// One element of the result in f64, from the definition.
export function elementAt(work, [a, b], position) {
  if (work.op === 'matmul') {
    const n = work.output[1], row = Math.floor(position / n), column = position % n;
    let sum = 0;
    for (let k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
    return sum;
  }
  const [, channels, height, width] = work.output;
  const o = Math.floor(position / (height * width)), y = Math.floor(position / width) % height, x = position % width;
  let sum = 0;
  for (let c = 0; c < channels; c++)
    for (let r = 0; r < 3; r++)
      for (let s = 0; s < 3; s++) {
        const [row, column] = [y + r - work.pad, x + s - work.pad];
        if (row < 0 || row >= height || column < 0 || column >= width) continue;
        sum += a[(c * height + row) * width + column] * b[((o * channels + c) * 3 + r) * 3 + s];
      }
  return sum;
}
