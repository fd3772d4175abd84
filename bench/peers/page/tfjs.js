// TensorFlow.js executes a graph as graph_json.py writes it; options: {backend, threads?}. Images are NHWC and filters HWIO (depthwise: HWC1),
// and an activation after a Conv or a bias after a MatMul is fused, as its own converter does.
import { fuse, isDepthwise } from './graph.js';
import { inputsOf, toBase64 } from './tensors.js';
import { workDone } from './work_done.js';

const MODULES = '/node_modules/@tensorflow/';
const script = source => new Promise((loaded, failed) => {
  const element = document.createElement('script');
  Object.assign(element, { src: source, onload: loaded, onerror: () => failed(new Error(`cannot load ${source}`)) });
  document.head.append(element);
});
let tf, backend, graph, weights, inputs, images, upload;

async function loadWasm(threads) {
  // It takes half the cores that the browser names; so it gets the threads that were asked for.
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 * threads, configurable: true });
  await script(`${MODULES}tfjs-backend-wasm/dist/tf-backend-wasm.min.js`);
  tf.wasm.setWasmPaths(`${MODULES}tfjs-backend-wasm/dist/`);
  tf.wasm.setThreadsCount(threads);
}

export async function init(options) {
  backend = options.backend;
  await script(`${MODULES}tfjs/dist/tf.min.js`);
  tf = globalThis.tf;
  if (backend === 'webgpu') await script(`${MODULES}tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js`);
  if (backend === 'wasm') await loadWasm(options.threads ?? 1);
  if (!await tf.setBackend(backend)) throw new Error(`TensorFlow.js has no backend "${backend}" here`);
  await tf.ready();
  return { version: tf.version.tfjs };
}

// How a weight must lie. Its WebAssembly multiplies wrongly by a matrix that it is to transpose itself.
function orderOf(node) {
  if (node.op === 'Conv') return isDepthwise(node) ? [2, 3, 0, 1] : [2, 3, 1, 0];
  return node.op === 'Gemm' && node.attributes.transB ? [1, 0] : undefined;
}

function loadWeights(bytes) {
  const orders = new Map(graph.nodes.map(node => [node.inputs[1], orderOf(node)]));
  weights = {};
  for (const [name, { type, shape, count, offset }] of Object.entries(graph.weights)) {
    if (type === 'int64') weights[name] = [...new BigInt64Array(bytes, offset, count)].map(Number);
    else {
      const values = tf.tensor(new Float32Array(bytes, offset, count), shape);
      weights[name] = orders.get(name) ? tf.transpose(values, orders.get(name)) : values;
    }
  }
}

export async function prepare(work) {
  const path = work.file.replace(/\.onnx$/, '');
  graph = await (await fetch(`${path}.json`)).json();
  const bytes = await (await fetch(`${path}.bin`)).arrayBuffer();
  const started = performance.now();
  images = graph.nodes.some(node => node.op === 'Conv');
  loadWeights(bytes);
  graph.nodes = fuse(graph);
  const values = inputsOf(work);
  upload = () => Object.fromEntries(work.inputs.flatMap(({ name, shape, constant }, position) => (constant ? []
    : [[name, tf.tidy(() => (images ? tf.tensor(values[position], shape).transpose([0, 2, 3, 1]) : tf.tensor(values[position], shape)))]])));
  inputs = upload();
  const create_ms = performance.now() - started;
  return { create_ms, first_ms: await sample(1) };
}

const spatial = ([top, left, bottom, right]) => [[0, 0], [top, bottom], [left, right], [0, 0]];

function layerNorm([x, scale, bias], { epsilon }) {
  const { mean, variance } = tf.moments(x, -1, true);
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, epsilon))), scale), bias);
}

function product([a, b], bias) {
  if (a.rank !== 3 || b.rank !== 2) return tf.matMul(a, b);
  const [batch, rows, depth] = a.shape;
  return tf.reshape(tf.fused.matMul({ a: tf.reshape(a, [batch * rows, depth]), b, bias }), [batch, rows, b.shape[1]]);
}

function convolution([x, filter, bias], { activation = 'linear', attributes }, depthwise) {
  const { pads = [0, 0, 0, 0], strides } = attributes;
  const what = { x, filter, strides, pad: pads.some(Boolean) ? spatial(pads) : 'valid', bias, activation };
  return depthwise ? tf.fused.depthwiseConv2d(what) : tf.fused.conv2d(what);
}

function maxPool(x, { kernel_shape, strides, pads = [0, 0, 0, 0] }) {
  const padded = pads.some(Boolean) ? tf.pad(x, spatial(pads), -3.4e38) : x;
  return tf.maxPool(padded, kernel_shape, strides, 'valid');
}

const OPERATORS = {
  Conv: (values, node) => convolution(values, node, isDepthwise(node)),
  MatMul: (values, node) => product(values, node.bias && weights[node.bias]),
  Gemm: ([a, b, bias]) => tf.fused.matMul({ a, b, bias }),
  Relu: ([x]) => tf.relu(x),
  Clip: ([x]) => tf.relu6(x),
  Add: ([a, b]) => tf.add(a, b),
  Sub: ([a, b]) => tf.sub(a, b),
  Mul: ([a, b]) => tf.mul(a, b),
  Div: ([a, b]) => tf.div(a, b),
  Pow: ([a]) => tf.square(a),
  Sqrt: ([a]) => tf.sqrt(a),
  Erf: ([a]) => tf.erf(a),
  Softmax: ([a]) => tf.softmax(a),
  LayerNormalization: (values, { attributes }) => layerNorm(values, attributes),
  MaxPool: ([x], { attributes }) => maxPool(x, attributes),
  GlobalAveragePool: ([x]) => tf.mean(x, [1, 2], true),
  ReduceMean: ([x], { attributes }) => tf.mean(x, attributes.axes, Boolean(attributes.keepdims)),
  Flatten: ([x]) => tf.reshape(x, [x.shape[0], -1]),
  Reshape: ([x, shape]) => tf.reshape(x, shape),
  Transpose: ([x], { attributes }) => tf.transpose(x, attributes.perm),
  Concat: (values, { attributes }) => tf.concat(values, images ? 3 : attributes.axis),
};

function forward() {
  return tf.tidy(() => {
    const values = { ...weights, ...inputs };
    for (const node of graph.nodes) {
      const execute = OPERATORS[node.op];
      if (!execute) throw new Error(`no translation of ${node.op}`);
      values[node.outputs[0]] = execute(node.inputs.map(name => values[name]), node);
    }
    return values[graph.output];
  });
}

// WebGPU: the pass must be ended before the queue is submitted; otherwise its work is dropped in silence. WebGL: one element is read back.
const WAITS = {
  async webgpu() {
    const device = tf.backend();
    device.endComputePassEncoder();
    if (device.commandEncoder) device.submitQueue();
    await workDone(device.queue);
  },
  webgl: result => tf.tidy(() => tf.slice(tf.reshape(result, [-1]), 0, 1).dataSync()),
  wasm: result => result.dataSync(),
};

export async function sample(k) {
  const started = performance.now();
  let result;
  for (let i = 0; i < k; i++) {
    result?.dispose();
    result = forward();
  }
  await WAITS[backend](result);
  const ms = (performance.now() - started) / k;
  result.dispose();
  return ms;
}

// Inputs up, one run, outputs back: k times, ms for each.
export async function roundTrips(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) {
    tf.dispose(inputs);
    inputs = upload();
    const result = forward();
    await result.data();
    result.dispose();
  }
  return (performance.now() - started) / k;
}

export async function output() {
  const result = forward(), rows = images && result.rank === 4 ? result.transpose([0, 3, 1, 2]) : result;
  return toBase64(await rows.data());
}

export function dispose() {
  for (const held of [...Object.values(weights), ...Object.values(inputs)]) held.dispose?.();
}
