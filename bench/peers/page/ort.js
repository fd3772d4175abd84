// ONNX Runtime Web; options: {provider: 'webgpu' | 'wasm', threads?}. WebGPU is the native build, not JSEP: inputs and outputs stay in GPU
// buffers, and no read-back is timed. WebAssembly's times have the copy of the output that its API makes.
import { read } from './device.js';
import { count, inputsOf, toBase64 } from './tensors.js';
import { workDone } from './work_done.js';

const DIST = '/node_modules/onnxruntime-web/dist/';
let ort, provider, session, device, feeds, fetches, buffers, shape, upload;

export async function init(options) {
  provider = options.provider;
  ort = await import(`${DIST}ort.${provider}.min.mjs`);
  ort = ort.default ?? ort;
  ort.env.wasm.wasmPaths = DIST;
  ort.env.wasm.numThreads = options.threads ?? 1;
  ort.env.logLevel = 'error';
  return { version: ort.env.versions?.web };
}

const TYPES = { i64: 'int64', i32: 'int32', bool: 'bool' };
const typeOf = ({ dtype }) => TYPES[dtype] ?? 'float32';

function gpuTensor(dims, values) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: Math.ceil(count(dims) / 4) * 16, usage });
  if (values) device.queue.writeBuffer(buffer, 0, values);
  buffers.push(buffer);
  return ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims });
}

async function bind(work) {
  const values = inputsOf(work), onDevice = provider === 'webgpu';
  if (onDevice) device = await ort.env.webgpu.device;
  buffers = [];
  feeds = {};
  upload = () => Object.fromEntries(work.inputs.flatMap((input, i) => (input.constant ? [] : [[input.name, new ort.Tensor(typeOf(input), values[i], input.shape)]])));
  for (const [position, input] of work.inputs.entries())
    if (!input.constant) feeds[input.name] = onDevice && typeOf(input) === 'float32' ? gpuTensor(input.shape, values[position]) : new ort.Tensor(typeOf(input), values[position], input.shape);
  fetches = onDevice ? { [session.outputNames[0]]: gpuTensor(work.output) } : undefined;
}

export async function prepare(work) {
  const model = new Uint8Array(await (await fetch(work.file)).arrayBuffer());
  shape = work.output;
  const started = performance.now();
  session = await ort.InferenceSession.create(model, { executionProviders: [provider], graphOptimizationLevel: 'all', logSeverityLevel: 3,
    ...(provider === 'webgpu' && { preferredOutputLocation: 'gpu-buffer' }) });
  const create_ms = performance.now() - started;
  await bind(work);
  return { create_ms, first_ms: await sample(1) };
}

const run = () => (fetches ? session.run(feeds, fetches) : session.run(feeds));

export async function sample(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) await run();
  if (device) await workDone(device.queue);
  return (performance.now() - started) / k;
}

// Inputs up, one run, outputs back: k times, ms for each.
export async function roundTrips(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) {
    const result = (await session.run(upload()))[session.outputNames[0]];
    await result.getData();
    result.dispose();
  }
  return (performance.now() - started) / k;
}

export async function output() {
  const results = await run(), name = session.outputNames[0];
  return toBase64(fetches ? await read(fetches[name].gpuBuffer, 4 * count(shape), device) : await results[name].getData());
}

export async function dispose() {
  await session.release();
  for (const buffer of buffers) buffer.destroy();
}
