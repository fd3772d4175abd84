// A package of hone's; options: {backend, threads?, of?: the work's name for the package, where it has several}. Its runs are round trips: arrays in, arrays out.
import { openPackage } from './open_package.js';
import { inputsOf, toBase64 } from './tensors.js';

let backend, of, model, inputs;

export function init(options) {
  ({ backend, of = 'package' } = options);
  // It takes as many threads as the browser names; so it gets those that were asked for.
  if (options.threads) Object.defineProperty(navigator, 'hardwareConcurrency', { value: options.threads, configurable: true });
}

const arraysOf = work => Object.fromEntries(inputsOf(work).map((values, i) => [work.inputs[i].name, values]));
// Of the adapter that WebGPU gives, "" without one.
async function adapterName() {
  const { vendor, architecture } = (await navigator.gpu?.requestAdapter())?.info ?? {};
  return vendor ? `${vendor} ${architecture}` : '';
}

const run = async () => Object.values(await model.run(inputs))[0];

export async function prepare(work) {
  inputs = arraysOf(work);
  const started = performance.now();
  model = await openPackage({ ...work, package: work[of] }, { backend });
  return { create_ms: performance.now() - started, used: model.used, first_ms: await roundTrips(1), adapter: await adapterName() };
}

// Inputs up, one run, outputs back: k times, ms for each.
export async function roundTrips(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) await run();
  return (performance.now() - started) / k;
}

export const output = async () => toBase64(await run());
export const dispose = () => model.dispose();
