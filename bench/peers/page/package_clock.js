// What a package's runs take outside of the kernels: each run beside the kernels' own time of the same run. Where a clock is missing it says so.
//   webgpu  the GPU's own clock around the compute pass (timestamp-query)
//   webgl   in the worker, the GPU's own clock from the first draw to the fence behind the last (EXT_disjoint_timer_query_webgl2)
//   wasm    in the worker, from the first call of a kernel to the end of the last
import { openPackage } from './open_package.js';
import { inputsOf } from './tensors.js';
import { watchWebGpu } from './watch_webgpu.js';
import { watchWorker } from './watch_worker.js';

let clock, model, inputs;

export function init({ backend }) {
  clock = backend === 'webgpu' ? watchWebGpu() : watchWorker(backend);
}

export async function prepare(work, backend) {
  inputs = Object.fromEntries(inputsOf(work).map((values, i) => [work.inputs[i].name, values]));
  model = await openPackage(work, { backend });
  await run();
}

// {run_ms, kernel_ms} of one run.
async function run() {
  await clock.begin();
  const started = performance.now();
  await model.run(inputs);
  const run_ms = performance.now() - started;
  return { run_ms, kernel_ms: await clock.end() };
}

export async function runs(k) {
  const all = [];
  for (let i = 0; i < k; i++) all.push(await run());
  return all;
}

export const dispose = () => model.dispose();
