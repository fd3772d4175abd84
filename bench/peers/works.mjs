// The operators and models of the comparisons. Inputs and outputs are row-major f32 in ONNX's layout; an operator's `node` is ONNX's.
const flat = (rows, columns) => [rows, columns];

export const matmul = (m, k = m, n = m) => ({ name: m === k && k === n ? `matmul_${m}` : `matmul_${m}x${k}x${n}`,
  node: { type: 'MatMul', attributes: {} }, output: [m, n], flops: 2 * m * k * n,
  inputs: [{ name: 'A', shape: [m, k] }, { name: 'B', shape: [k, n] }] });

function convolution(name, { size, from, to, kernel, stride = 1, pad = 0, group = 1 }) {
  const extent = Math.floor((size + 2 * pad - kernel) / stride) + 1, filter = [to, from / group, kernel, kernel];
  return { name,
    node: { type: 'Conv', attributes: { kernel_shape: [kernel, kernel], pads: [pad, pad, pad, pad], strides: [stride, stride], group } },
    output: [1, to, extent, extent], flops: 2 * extent * extent * to * filter[1] * kernel * kernel,
    inputs: [{ name: 'X', shape: [1, from, size, size] }, { name: 'W', shape: filter, constant: true }, { name: 'bias', shape: [to], constant: true }] };
}

const full = (size, channels) => convolution(`conv_${size}_${channels}_3x3`, { size, from: channels, to: channels, kernel: 3, pad: 1 });
const depthwise = (size, channels, stride = 1) => convolution(`dw_${size}_${channels}${stride > 1 ? `_s${stride}` : ''}`,
  { size, from: channels, to: channels, kernel: 3, stride, pad: 1, group: channels });
const pointwise = (size, from, to) => convolution(`pw_${size}_${from}to${to}`, { size, from, to, kernel: 1 });

const softmax = (rows, columns) => ({ name: `softmax_${rows}x${columns}`, node: { type: 'Softmax', attributes: { axis: -1 } },
  output: flat(rows, columns), inputs: [{ name: 'X', shape: flat(rows, columns) }] });

const layerNorm = (rows, columns) => ({ name: `layernorm_${rows}x${columns}`,
  node: { type: 'LayerNormalization', attributes: { axis: -1, epsilon: 1e-5 } }, output: flat(rows, columns),
  inputs: [{ name: 'X', shape: flat(rows, columns) }, { name: 'scale', shape: [columns], constant: true }, { name: 'bias', shape: [columns], constant: true }] });

export const OPERATORS = [
  matmul(256), matmul(512), matmul(1024), matmul(128, 256, 1024),
  convolution('conv_stem_7x7s2', { size: 224, from: 3, to: 64, kernel: 7, stride: 2, pad: 3 }),
  full(56, 64), full(28, 128), full(14, 256), full(7, 512),
  convolution('conv_28_128to256_s2', { size: 28, from: 128, to: 256, kernel: 3, stride: 2, pad: 1 }),
  depthwise(112, 32), depthwise(56, 144), depthwise(14, 384), depthwise(14, 576, 2),
  pointwise(112, 32, 16), pointwise(56, 24, 144), pointwise(14, 384, 64), pointwise(7, 320, 1280),
  softmax(1536, 128), softmax(64, 4096), layerNorm(512, 768),
];

// So small that a run of it is nothing but the way to the device and back.
export const ROUND_TRIP = { ...matmul(64), name: 'round_trip_64', round_trip: true };

// Of scripts/gen_model; what ONNX Runtime's WebAssembly says is their reference.
const model = (name, input, output, flops) => ({ name, model: true, inputs: [{ name: 'input', shape: input }], output, flops });
export const MODELS = [
  model('resnet18', [1, 3, 224, 224], [1, 1000], 3.64e9), model('mobilenetv2', [1, 3, 224, 224], [1, 1000], 0.6e9),
  model('squeezenet', [1, 3, 224, 224], [1, 1000], 0.7e9), model('encoder', [1, 128, 128], [1, 128, 128], 0.11e9),
];

const row = (values, position, columns) => values.subarray(position - (position % columns), position - (position % columns) + columns);
const sum = (values, of) => values.reduce((total, value) => total + of(value), 0);

// One element of the result in f64, from the definition of the operator.
const ELEMENTS = {
  MatMul({ output: [, n], inputs: [{ shape: [, depth] }] }, [a, b], position) {
    const i = Math.floor(position / n), j = position % n;
    let total = 0;
    for (let k = 0; k < depth; k++) total += a[i * depth + k] * b[k * n + j];
    return total;
  },
  Conv({ node: { attributes }, output: [, outputs, rows, columns], inputs: [{ shape: [, , height, width] }, { shape: [, depth, kernel] }] }, [x, w, bias], position) {
    const { pads: [pad], strides: [stride], group } = attributes;
    const o = Math.floor(position / (rows * columns)), y = Math.floor(position / columns) % rows, z = position % columns;
    const first = Math.floor(o / (outputs / group)) * depth;
    let total = bias[o];
    for (let c = 0; c < depth; c++)
      for (let r = 0; r < kernel; r++)
        for (let s = 0; s < kernel; s++) {
          const i = y * stride + r - pad, j = z * stride + s - pad;
          if (i < 0 || i >= height || j < 0 || j >= width) continue;
          total += x[((first + c) * height + i) * width + j] * w[((o * depth + c) * kernel + r) * kernel + s];
        }
    return total;
  },
  Softmax({ output: [, columns] }, [x], position) {
    const values = row(x, position, columns), greatest = Math.max(...values);
    return Math.exp(x[position] - greatest) / sum(values, value => Math.exp(value - greatest));
  },
  LayerNormalization({ output: [, columns], node: { attributes: { epsilon } } }, [x, scale, bias], position) {
    const values = row(x, position, columns), mean = sum(values, value => value) / columns;
    const variance = sum(values, value => (value - mean) ** 2) / columns, j = position % columns;
    return (x[position] - mean) / Math.sqrt(variance + epsilon) * scale[j] + bias[j];
  },
};
export const elementAt = (work, inputs, position) => ELEMENTS[work.node.type](work, inputs, position);
