// The .tflite file of a graph as graph_json.py writes it, with what Google's converters fuse fused. Images are NHWC.
import { fuse, fuseGelu, isDepthwise, permuted } from './graph.js';
import { TfliteFile } from './tflite_file.js';

const CODES = { Add: 0, Concat: 2, Conv: 3, Depthwise: 4, FullyConnected: 9, MaxPool: 17, Mul: 18, Reshape: 22, Softmax: 25, Pad: 34, Transpose: 39, Mean: 40, Sub: 41, Div: 42, Sqrt: 75,
  Square: 92, BatchMatMul: 126, Gelu: 150 };
const OPTIONS = { Conv: 1, Depthwise: 2, Pool: 5, FullyConnected: 8, Softmax: 9, Concat: 10, Add: 11, Mul: 21, Reducer: 27, Sub: 28, Div: 29 };
const ACTIVATIONS = { relu: 1, relu6: 3 }, SAME = 0, VALID = 1;
const broadcast = (a, b) => Array.from({ length: Math.max(a.length, b.length) }, (_, i) => Math.max(a.at(i - Math.max(a.length, b.length)) ?? 1, b.at(i - Math.max(a.length, b.length)) ?? 1));

class Conversion {
  file = new TfliteFile();
  values = {};   // by name: {index, shape}

  constructor(graph, bytes) {
    this.images = graph.nodes.some(({ op }) => op === 'Conv');
    this.nodes = fuseGelu(fuse(graph, ['Conv', 'Add']));
    Object.assign(this, { graph, bytes });
  }

  run({ inputs: [{ name, shape }] }) {
    const input = this.values[name] = this.made(this.images ? [0, 2, 3, 1].map(axis => shape[axis]) : shape);
    for (const node of this.nodes) this.values[node.outputs[0]] = (NODES[node.op] ?? missing(node))(this, node);
    return this.file.finish([input.index], [this.values[this.graph.output].index]);
  }

  made(shape) {
    return { index: this.file.tensor(shape), shape };
  }

  constant(values, shape = [values.length]) {
    return { index: this.file.tensor(shape, values), shape };
  }

  content(name) {
    const { type, shape, count, offset } = this.graph.weights[name];
    return { values: type === 'int64' ? Int32Array.from(new BigInt64Array(this.bytes, offset, count), Number) : new Float32Array(this.bytes, offset, count), shape };
  }

  weight(name, order) {
    const { values, shape } = this.content(name), laid = order ? permuted(values, shape, order) : { values, shape: shape.length > 0 ? shape : [1] };
    return this.constant(laid.values, laid.shape);
  }

  value(name) {
    return this.values[name] ??= this.weight(name);
  }

  add(kind, inputs, shape, options) {
    const output = this.made(shape);
    this.file.operator(CODES[kind], inputs.map(({ index }) => index), [output.index], options);
    return output;
  }

  padded(x, [top, left, bottom, right]) {
    const { shape: [batch, height, width, channels] } = x, pads = this.constant(Int32Array.of(0, 0, top, bottom, left, right, 0, 0), [4, 2]);
    return this.add('Pad', [x, pads], [batch, height + top + bottom, width + left + right, channels]);
  }
}

const missing = ({ op }) => { throw new Error(`no translation of ${op}`); };
const activationOf = ({ activation }) => ACTIVATIONS[activation] ?? 0;
const window = (extent, kernel, stride) => Math.floor((extent - kernel) / stride) + 1;

// The extents of a window's results, and what goes before it: SAME pads evenly only where the stride is 1, so otherwise zeros are put around.
function windowed(to, x, { kernel_shape: [rows, columns], pads = [0, 0, 0, 0], strides: [down, right] }) {
  const isSame = down === 1 && right === 1 && pads.every((pad, i) => pad > 0 && 2 * pad + 1 === [rows, columns][i % 2]);
  if (isSame) return { x, padding: SAME, extents: [x.shape[1], x.shape[2]] };
  const source = pads.some(Boolean) ? to.padded(x, pads) : x;
  return { x: source, padding: VALID, extents: [window(source.shape[1], rows, down), window(source.shape[2], columns, right)] };
}

function convolution(to, node) {
  const [name, filter, bias] = node.inputs, { attributes, attributes: { strides: [down, right] } } = node, depthwise = isDepthwise(node);
  const { x, padding, extents } = windowed(to, to.value(name), attributes), weights = to.weight(filter, depthwise ? [1, 2, 3, 0] : [0, 2, 3, 1]);
  const channels = to.graph.weights[filter].shape[0], steps = [[0, 'byte', padding], [1, 'int', right], [2, 'int', down]];
  const options = depthwise ? [OPTIONS.Depthwise, [...steps, [3, 'int', 1], [4, 'byte', activationOf(node)]]] : [OPTIONS.Conv, [...steps, [3, 'byte', activationOf(node)], [4, 'int', 1], [5, 'int', 1]]];
  if (depthwise) options[1].push([5, 'int', 1], [6, 'int', 1]);
  return to.add(depthwise ? 'Depthwise' : 'Conv', [x, weights, to.value(bias)], [1, ...extents, channels], options);
}

// Zeros around are as good as the least number: what comes here has passed a Relu.
function maxPool(to, { inputs: [name], attributes, attributes: { strides: [down, right], kernel_shape: [rows, columns] } }) {
  const { x, padding, extents } = windowed(to, to.value(name), attributes);
  return to.add('MaxPool', [x], [1, ...extents, x.shape[3]], [OPTIONS.Pool, [[0, 'byte', padding], [1, 'int', right], [2, 'int', down], [3, 'int', columns], [4, 'int', rows]]]);
}

// transposed: the weights are [outputs, depth] already.
function fullyConnected(to, x, weight, bias, transposed) {
  const weights = to.weight(weight, transposed ? undefined : [1, 0]);
  return to.add('FullyConnected', [x, weights, to.value(bias)], [...x.shape.slice(0, -1), weights.shape[0]], [OPTIONS.FullyConnected, [[2, 'byte', 1]]]);
}

function product(to, { inputs: [a, b], bias }) {
  if (bias) return fullyConnected(to, to.value(a), b, bias, false);
  const [left, right] = [to.value(a), to.value(b)];
  return to.add('BatchMatMul', [left, right], [...left.shape.slice(0, -1), right.shape.at(-1)]);
}

function binary(kind) {
  return (to, node) => {
    const [a, b] = node.inputs.map(name => to.value(name));
    return to.add(kind, [a, b], broadcast(a.shape, b.shape), [OPTIONS[kind], [[0, 'byte', activationOf(node)]]]);
  };
}

function mean(to, x, axes) {
  const at = axes.map(axis => (axis + x.shape.length) % x.shape.length);
  return to.add('Mean', [x, to.constant(Int32Array.from(at))], x.shape.map((extent, axis) => (at.includes(axis) ? 1 : extent)), [OPTIONS.Reducer, [[0, 'byte', 1]]]);
}

const total = shape => shape.reduce((a, b) => a * b, 1);

function reshape(to, x, wanted) {
  const copied = wanted.map((extent, axis) => (extent === 0 ? x.shape[axis] : extent)), rest = total(x.shape) / total(copied.filter(extent => extent > 0));
  const shape = copied.map(extent => (extent < 0 ? rest : extent));
  return to.add('Reshape', [x, to.constant(Int32Array.from(shape))], shape);
}

const alike = kind => (to, { inputs: [name] }) => to.add(kind, [to.value(name)], to.value(name).shape);

const NODES = {
  Conv: convolution, MaxPool: maxPool, MatMul: product, Add: binary('Add'), Sub: binary('Sub'), Mul: binary('Mul'), Div: binary('Div'),
  Pow: alike('Square'), Sqrt: alike('Sqrt'), Gelu: alike('Gelu'),
  Gemm: (to, { inputs: [x, weight, bias], attributes }) => fullyConnected(to, to.value(x), weight, bias, Boolean(attributes.transB)),
  GlobalAveragePool: (to, { inputs: [x] }) => mean(to, to.value(x), [1, 2]),
  ReduceMean: (to, { inputs: [x], attributes }) => mean(to, to.value(x), attributes.axes),
  Flatten: (to, { inputs: [x] }) => reshape(to, to.value(x), [1, total(to.value(x).shape)]),
  Reshape: (to, { inputs: [x, shape] }) => reshape(to, to.value(x), [...to.content(shape).values]),
  Softmax: (to, { inputs: [x] }) => to.add('Softmax', [to.value(x)], to.value(x).shape, [OPTIONS.Softmax, [[0, 'float', 1]]]),
  Transpose: (to, { inputs: [x], attributes: { perm } }) => to.add('Transpose', [to.value(x), to.constant(Int32Array.from(perm))], perm.map(axis => to.value(x).shape[axis])),
  Concat(to, { inputs }) {
    const parts = inputs.map(name => to.value(name)), [{ shape }] = parts;
    return to.add('Concat', parts, [...shape.slice(0, 3), parts.reduce((sum, part) => sum + part.shape[3], 0)], [OPTIONS.Concat, [[0, 'int', 3]]]);
  },
};

export const tfliteOf = (graph, bytes, work) => new Conversion(graph, bytes).run(work);
