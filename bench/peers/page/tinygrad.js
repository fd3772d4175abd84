// A model that tinygrad exported (../exports/tinygrad_export.py). Its runs are round trips: arrays in, arrays out.
import { inputsOf, toBase64 } from './tensors.js';
import { load } from './tinygrad_net.js';

let model, input;

export function init() {}

export async function prepare(work) {
  [input] = inputsOf(work);
  const started = performance.now();
  model = await load(new URL(work.tinygrad, location.href).href);
  return { create_ms: performance.now() - started, first_ms: await roundTrips(1) };
}

export async function roundTrips(k) {
  const started = performance.now();
  for (let i = 0; i < k; i++) await model.run(input);
  return (performance.now() - started) / k;
}

export const output = async () => toBase64(await model.run(input));
export const dispose = () => model.dispose();
