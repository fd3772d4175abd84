// The most memory that a package holds while it loads, where nothing of it is kept, and while it runs.
import { inputsOf } from './tensors.js';
import { watchMemory } from './watch_memory.js';

const RUNS = 3;

export function init() {}

// {load_bytes, run_bytes}
export async function measure(work, backend) {
  for (const name of await caches.keys()) await caches.delete(name);
  const inputs = Object.fromEntries(inputsOf(work).map((values, i) => [work.inputs[i].name, values]));
  const memory = watchMemory(), { load } = await import(`${work.package}index.js`);
  const model = await load(undefined, { backend }), load_bytes = memory.take(), { used } = model;
  for (let i = 0; i < RUNS; i++) await model.run(inputs);
  model.dispose();
  return { load_bytes, run_bytes: memory.take(), used };
}
