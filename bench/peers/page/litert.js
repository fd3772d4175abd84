// LiteRT.js on its WebAssembly; options: {threads}. The .tflite file is made here (tflite.js), since there is no converter from ONNX in a browser.
import { permuted } from './graph.js';
import { inputsOf, toBase64 } from './tensors.js';
import { tfliteOf } from './tflite.js';

const MODULES = '/node_modules/@litertjs/';
let lite, threads, model, values, shape;

// Its module names another by a bare name.
function nameModules() {
  const map = document.createElement('script');
  map.type = 'importmap';
  map.textContent = JSON.stringify({ imports: { '@litertjs/wasm-utils': `${MODULES}wasm-utils/dist/index.js` } });
  document.head.append(map);
}

export async function init(options) {
  threads = options.threads ?? 1;
  nameModules();
  lite = await import(`${MODULES}core/dist/index.js`);
  await lite.loadLiteRt(`${MODULES}core/wasm/`, { threads: threads > 1 });
}

export async function prepare(work) {
  const path = work.file.replace(/\.onnx$/, '');
  const [graph, bytes] = await Promise.all([fetch(`${path}.json`).then(answer => answer.json()), fetch(`${path}.bin`).then(answer => answer.arrayBuffer())]);
  const images = graph.nodes.some(({ op }) => op === 'Conv'), file = tfliteOf(graph, bytes, work), [given] = inputsOf(work);
  ({ values, shape } = images ? permuted(given, work.inputs[0].shape, [0, 2, 3, 1]) : { values: given, shape: work.inputs[0].shape });
  const started = performance.now();
  model = await lite.loadAndCompile(file, { accelerator: 'wasm', cpuOptions: { numThreads: threads } });
  return { create_ms: performance.now() - started, first_ms: await roundTrips(1) };
}

async function run() {
  const input = new lite.Tensor(values, shape), results = await model.run(input), [output] = Array.isArray(results) ? results : Object.values(results);
  const data = output.toTypedArray().slice();
  for (const tensor of [input, output]) tensor.delete();
  return data;
}

// Inputs up, one run, outputs back: k times, ms for each.
export async function roundTrips(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) await run();
  return (performance.now() - started) / k;
}

export const output = async () => toBase64(await run());
export const dispose = () => model.delete();
