// How a whole model is timed, whatever runs it: once for its outputs, then until there are enough times.
import type { Attempt } from '../core/outcome.ts';
import { failure, success } from '../core/outcome.ts';
import type { Execution } from './backend.ts';

export interface Run {
  outputs: ArrayBuffer;
  run_ms: number;
  kernel_ms: number;
}

export interface RunnableModel {
  readonly has_device_clock: boolean;         // whether kernel_ms is the device's own time
  first(): Promise<Attempt<Run>>;             // fails with not_written where an output still holds poison
  settle?(first: Run): Promise<Attempt<unknown>>;   // before timed runs
  once(): Promise<Attempt<Run>>;
}

const timed_ms_max = 20_000;   // a slow model is run fewer times than asked for
const timed_runs_min = 3;

export async function timedRuns(model: RunnableModel, repeats: number, create_ms: number): Promise<Attempt<Execution>> {
  const first = await model.first();
  if (!first.ok) return first;
  const settled = repeats > 0 ? await model.settle?.(first.value) : undefined;
  if (settled?.ok === false) return settled;
  const run_ms: number[] = [], kernel_ms: number[] = [];
  const started = performance.now();
  while (run_ms.length < repeats && (run_ms.length < timed_runs_min || performance.now() - started < timed_ms_max)) {
    const again = await model.once();
    if (!again.ok) return again;
    run_ms.push(again.value.run_ms);
    if (model.has_device_clock) kernel_ms.push(again.value.kernel_ms);
  }
  return success({ outputs: first.value.outputs, create_ms, first_ms: first.value.run_ms, run_ms, kernel_ms });
}

// The run, unless an output still holds poison.
export function whollyWritten(run: Attempt<Run>, poison_bits: number): Attempt<Run> {
  if (!run.ok) return run;
  const missing = new Uint32Array(run.value.outputs).reduce((count, word) => count + (word === poison_bits ? 1 : 0), 0);
  return missing > 0 ? failure('not_written', `${missing} elements of the outputs were never written`) : run;
}
