// How a whole model is timed, whatever runs it: once for its outputs, then until there are enough times.
import type { Attempt } from '../core/outcome.ts';
import { failure, success } from '../core/outcome.ts';
import type { Execution, PlanSpec } from './backend.ts';

export interface Run {
  outputs: ArrayBuffer;
  run_ms: number;
  kernel_ms: number;
}

export interface RunnableModel {
  readonly has_device_clock: boolean;         // whether kernel_ms is the device's own time
  readonly step_ns?: number;                  // of that clock, where it is no fine one
  first(): Promise<Attempt<Run>>;             // fails with not_written where an output still holds poison
  settle?(first: Run): Promise<Attempt<unknown>>;   // before timed runs
  once(): Promise<Attempt<Run>>;
  // Executes the plan's launch at this position so many times in a row; nanoseconds in all by the device's clock.
  timeLaunch(launch: number, times: number): Promise<Attempt<number>>;
}

// One that holds memory of the device.
export interface OpenModel extends RunnableModel {
  dispose(): void;
}

export type Timing = Pick<PlanSpec, 'repeats' | 'timed_ms_max' | 'time_launches' | 'launches'>;

const launch_sample_ns = 1e6;   // of a launch, or
const launch_steps = 20;        // of the clock
const launch_sure_steps = 10;   // below, a reading says only that more are needed
const launch_growth = 4;
const launch_times_max = 100;
const launch_readings_max = 8;

export async function timedRuns(model: RunnableModel, plan: Timing, create_ms: number): Promise<Attempt<Execution>> {
  const { repeats, timed_ms_max } = plan;
  const first = await model.first();
  if (!first.ok) return first;
  const settled = repeats > 0 ? await model.settle?.(first.value) : undefined;
  if (settled?.ok === false) return settled;
  const run_ms: number[] = [], kernel_ms: number[] = [];
  const started = performance.now();
  while (run_ms.length < repeats && (run_ms.length === 0 || performance.now() - started < timed_ms_max)) {
    const again = await model.once();
    if (!again.ok) return again;
    run_ms.push(again.value.run_ms);
    if (model.has_device_clock) kernel_ms.push(again.value.kernel_ms);
  }
  const execution: Execution = { outputs: first.value.outputs, create_ms, first_ms: first.value.run_ms, run_ms, kernel_ms };
  if (!plan.time_launches || !model.has_device_clock) return success(execution);
  const launches = await launchTimes(model, plan.launches);
  return launches.ok ? success({ ...execution, launch_us: launches.value }) : launches;
}

// In the plan's order, so that each finds what those before it left.
async function launchTimes(model: RunnableModel, launches: Timing['launches']): Promise<Attempt<number[]>> {
  const launch_us: number[] = [];
  for (const [position, { ahead }] of launches.entries()) {
    const time = ahead === true ? success(0) : await launchNs(model, position);
    if (!time.ok) return time;
    launch_us.push(time.value / 1000);
  }
  return success(launch_us);
}

async function launchNs(model: RunnableModel, position: number): Promise<Attempt<number>> {
  const step_ns = model.step_ns ?? 1, sample_ns = Math.max(launch_sample_ns, launch_steps * step_ns);
  for (let times = 1, reading = 1;; reading++) {
    const all = await model.timeLaunch(position, times);
    if (!all.ok) return all;
    if (all.value >= sample_ns || times === launch_times_max || reading === launch_readings_max) return success(all.value / times);
    const wanted = all.value >= launch_sure_steps * step_ns ? times * sample_ns / all.value : times * launch_growth;
    times = Math.min(launch_times_max, Math.ceil(wanted));
  }
}

// The run, unless an output still holds poison.
export function whollyWritten(run: Attempt<Run>, poison_bits: number): Attempt<Run> {
  if (!run.ok) return run;
  const missing = new Uint32Array(run.value.outputs).reduce((count, word) => count + (word === poison_bits ? 1 : 0), 0);
  return missing > 0 ? failure('not_written', `${missing} elements of the outputs were never written`) : run;
}
