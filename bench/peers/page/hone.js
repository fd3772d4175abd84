// hone's kernels, as `hone compile --dump source --json` prints them: work.hone[which] =
// {buffers, layouts, temps, launches}, temps as sizes in bytes.
import { openDevice, pipelines, read, storage, timeRuns } from './device.js';
import { buffersOf, count, inputsOf, physical, positions, toBase64 } from './tensors.js';

let which, launches, args, temps, buffers;

export function init(options) {
  which = options.schedule;
  return openDevice();
}

export async function prepare(work) {
  const { temps: sizes, launches: sources } = work.hone[which];
  buffers = buffersOf(work.hone[which]);
  const inputs = inputsOf(work);
  args = buffers.map((buffer, i) => storage(buffer.bytes, i < inputs.length ? physical(buffer, work.inputs[i], inputs[i]) : undefined));
  temps = sizes.map(bytes => storage(bytes));
  const started = performance.now();
  launches = await pipelines(sources.map(({ code, grid, bindings }) => ({ code, grid,
    bindings: bindings.map(({ kind, position }) => (kind === 'temp' ? temps : args)[position]) })));
  const create_ms = performance.now() - started;
  return { create_ms, first_ms: await sample(1) };
}

export const sample = k => timeRuns(launches, k);

export async function output() {
  const buffer = buffers.at(-1), stored = await read(args.at(-1), buffer.bytes), values = new Float32Array(count(buffer.shape));
  for (const [logical, place] of positions(buffer)) values[logical] = stored[place];
  return toBase64(values);
}

export function dispose() {
  for (const buffer of [...args, ...temps]) buffer.destroy();
}
