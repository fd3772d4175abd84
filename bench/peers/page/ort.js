// ONNX Runtime Web on WebGPU (the native build, not JSEP). Inputs and outputs stay in GPU buffers; no read-back is timed.
import { read } from './device.js';
import { count, inputsOf, toBase64 } from './tensors.js';

const DIST = '/node_modules/onnxruntime-web/dist/';
let ort, session, device, feeds, fetches, buffers, shape;

export async function init() {
  ort = await import(`${DIST}ort.webgpu.min.mjs`);
  ort = ort.default ?? ort;
  ort.env.wasm.wasmPaths = DIST;
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  return { version: ort.env.versions?.web };
}

function gpuTensor(dims, values) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: Math.ceil(count(dims) / 4) * 16, usage });
  if (values) device.queue.writeBuffer(buffer, 0, values);
  buffers.push(buffer);
  return ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims });
}

export async function prepare(work) {
  const model = new Uint8Array(await (await fetch(work.model)).arrayBuffer());
  const started = performance.now();
  session = await ort.InferenceSession.create(model, { executionProviders: ['webgpu'], graphOptimizationLevel: 'all',
    logSeverityLevel: 3, preferredOutputLocation: 'gpu-buffer' });
  const create_ms = performance.now() - started;
  device = await ort.env.webgpu.device;
  buffers = [];
  shape = work.output;
  const inputs = inputsOf(work);
  feeds = {};
  for (const [position, input] of work.inputs.entries())
    if (!input.constant) feeds[input.name] = gpuTensor(input.shape, inputs[position]);
  fetches = { Y: gpuTensor(shape) };
  return { create_ms, first_ms: await sample(1) };
}

export async function sample(k) {
  const started = performance.now();
  for (let run = 0; run < k; run++) await session.run(feeds, fetches);
  await device.queue.onSubmittedWorkDone();
  return (performance.now() - started) / k;
}

export async function output() {
  await session.run(feeds, fetches);
  return toBase64(await read(fetches.Y.gpuBuffer, 4 * count(shape), device));
}

export async function dispose() {
  await session.release();
  for (const buffer of buffers) buffer.destroy();
}
