// TensorFlow.js on WebGPU. Images are NHWC, filters HWIO, as its own converter makes them.
import { count, inputsOf, toBase64 } from './tensors.js';

const script = source => new Promise((loaded, failed) => {
  const element = document.createElement('script');
  Object.assign(element, { src: source, onload: loaded, onerror: () => failed(new Error(`cannot load ${source}`)) });
  document.head.append(element);
});
let tf, run, held, nhwc;

export async function init() {
  await script('/node_modules/@tensorflow/tfjs/dist/tf.min.js');
  tf = globalThis.tf;
  await script('/node_modules/@tensorflow/tfjs-backend-webgpu/dist/tf-backend-webgpu.min.js');
  if (!await tf.setBackend('webgpu')) throw new Error('TensorFlow.js has no WebGPU backend here');
  await tf.ready();
  return { version: tf.version.tfjs };
}

export async function prepare(work) {
  const inputs = inputsOf(work).map((values, i) => tf.tensor(values, work.inputs[i].shape));
  nhwc = work.op === 'conv';
  if (nhwc) {
    const [x, filter] = [inputs[0].transpose([0, 2, 3, 1]), inputs[1].transpose([2, 3, 1, 0])];
    inputs.forEach(input => input.dispose());
    held = [x, filter];
    const pad = [[0, 0], [work.pad, work.pad], [work.pad, work.pad], [0, 0]];
    run = () => tf.conv2d(x, filter, work.stride, pad);
  } else {
    held = inputs;
    run = () => tf.matMul(inputs[0], inputs[1]);
  }
  return { create_ms: 0, first_ms: await sample(1) };
}

// The pass must be ended before the queue is submitted; otherwise its work is dropped in silence.
async function finished() {
  const backend = tf.backend();
  backend.endComputePassEncoder();
  if (backend.commandEncoder) backend.submitQueue();
  await backend.queue.onSubmittedWorkDone();
}

export async function sample(k) {
  const started = performance.now();
  let result;
  for (let i = 0; i < k; i++) {
    result?.dispose();
    result = run();
  }
  await finished();
  const ms = (performance.now() - started) / k;
  result.dispose();
  return ms;
}

export async function output() {
  let result = run();
  if (nhwc) result = result.transpose([0, 3, 1, 2]);
  return toBase64(await result.data());
}

export function dispose() {
  held.forEach(tensor => tensor.dispose());
}
