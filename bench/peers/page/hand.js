// A hand-written kernel of matmul_source.js; options.config is its label, e.g. "8x8 t8x2v4 k4 fix".
import { openDevice, pipelines, read, storage, timeRuns } from './device.js';
import { configOf, gridOf, matmulSource } from './matmul_source.js';
import { inputsOf, toBase64 } from './tensors.js';

let config, launches, buffers, bytes;

export function init(options) {
  config = configOf(options.config);
  if (!config) throw new Error(`no configuration "${options.config}" in matmul_source.js`);
  return openDevice();
}

export async function prepare(work) {
  const [n] = work.output;
  bytes = 4 * n * n;
  buffers = [...inputsOf(work).map(values => storage(bytes, values)), storage(bytes)];
  const started = performance.now();
  launches = await pipelines([{ code: matmulSource(config, n), grid: gridOf(config, n), bindings: buffers }]);
  const create_ms = performance.now() - started;
  return { create_ms, first_ms: await sample(1) };
}

export const sample = k => timeRuns(launches, k);
export const output = async () => toBase64(await read(buffers[2], bytes));

export function dispose() {
  for (const buffer of buffers) buffer.destroy();
}
