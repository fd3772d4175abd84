// What the agent's timing says of kernels whose true times are known: candidates and finals on simulated devices, through the job loop that
// measures on real ones. `scripts/bench timing` prints it.
import { fingerprint, launch } from '../../../test/samples.ts';
import { JobLoop } from '../job_loop.ts';
import type { Result, WorkItem } from '../result.ts';
import type { MeasurePolicy } from '../../generated/protocol.ts';
import { Random } from './random.ts';
import { SimulatedBackend } from './simulated_backend.ts';
import { SimulatedGpu, steady, type Traits } from './simulated_gpu.ts';

export const policy: MeasurePolicy = { samples: 3, sample_ms_min: 3, quanta_min: 50, race_factor: 1.5, cap_ms: 10_000, in_turns: false };  // as the service asks
const finals: MeasurePolicy = { ...policy, samples: 9, in_turns: true };

export const steps_ns = [1, 65_536, 100_000];
export const group_size = 16;          // candidates that are created together; the device rests meanwhile
const apart_beyond = 0.03;

// A GPU in a stock browser: stamps jitter, the host has its costs, the clock rises and falls.
export function gpuTraits(step_ns: number, more: Partial<Traits> = {}): Traits {
  return {
    ...steady,
    clock: { step_ns, jitter_ns: 1000, unit: 1, negative_share: 0, absurd_share: 0 },
    host: { submit_ns: 50_000, wait_ns: 300_000, jitter: 0.3, step_ns: 5000 },
    power: { cold: 0.4, ramp_ms: 300, rest_ms: 50, fall_ms: 1000 },
    work_jitter: 0.005,
    ...more,
  };
}

// A GPU without timestamps, whose times are differences of wall times.
export function slopeTraits(overhead_ms: number): Traits {
  return gpuTraits(1, { host: { submit_ns: overhead_ms * 0.2e6, wait_ns: overhead_ms * 0.8e6, jitter: 0.1, step_ns: 5000 } });
}

export const disturbed: Partial<Traits> = { drift: { share: 0.05, period_ms: 20_000 }, bursts: { apart_ms: 2000, long_ms: 20, slowdown: 2 } };
export const often_disturbed: Partial<Traits> = { ...disturbed, bursts: { apart_ms: 300, long_ms: 20, slowdown: 2 } };

export type Method = Parameters<typeof SimulatedBackend.connect>[2];

export interface Measured {
  readonly result: Result;
  readonly true_us: number;
  readonly device_ms: number;   // that the group took of the device, by candidate
}

// A device with an agent, which is given group after group.
export class Bench {
  readonly #loop: JobLoop;
  #trial = 0;
  #results: Result[] = [];

  private constructor(readonly backend: SimulatedBackend, readonly random: Random) {
    this.#loop = new JobLoop(backend, backend.scheduler, { onPhase: () => {}, onResult: (_, result) => this.#results.push(result), onTiming: () => {}, isHidden: () => false });
  }

  static async make(traits: Traits, seed: number, method: Method = 'timestamp'): Promise<Bench> {
    return new Bench(await SimulatedBackend.connect(new SimulatedGpu(traits, seed), fingerprint, method), new Random(seed + 1));
  }

  // Measures these kernels as one group; best_us: what they race against, 0 for nothing.
  async measure(kernels_us: readonly number[], how: MeasurePolicy = policy, best_us = 0): Promise<Measured[]> {
    const { gpu } = this.backend, busy_ms = gpu.busy_ms;
    gpu.rest(this.random.between(20, 500));
    const items = kernels_us.map(us => this.#item(us, how, best_us)), first = items[0]!.candidate.trial;
    this.#results = [];
    await this.#loop.run(items, () => this.backend.task);
    const device_ms = (gpu.busy_ms - busy_ms) / items.length;
    return this.#results.map(result => ({ result, true_us: kernels_us[result.trial - first]!, device_ms }));
  }

  #item(true_us: number, how: MeasurePolicy, best_so_far_us: number): WorkItem {
    const trial = ++this.#trial;
    this.backend.kernels_ns.set(trial, true_us * 1000);
    return { batch: 1, fence: 1, task: 't', policy: how, modules: [], candidate: { trial, attempt: 0, best_so_far_us, predicted_us: 0, temps: [], launches: [launch], layouts: [] } };
  }
}

export interface Errors {
  median_error_p99: number;
  unstable_share: number;
  device_ms: number;            // of one candidate whose execution is shorter than a sample, in the mean
}

// Kernels of least_us to most_us, each magnitude alike, nothing to race against.
export async function medianErrors(traits: Traits, count: number, [least_us, most_us]: readonly [number, number], method: Method = 'timestamp', seed = 0): Promise<Errors> {
  const bench = await Bench.make(traits, seed + 1, method), all: Measured[] = [];
  while (all.length < count) {
    all.push(...await bench.measure(Array.from({ length: group_size }, () => bench.random.logBetween(least_us, most_us))));
  }
  const timed = all.filter(({ result }) => result.outcome === 'ok');
  return { median_error_p99: quantile(timed.map(errorOf), 0.99), unstable_share: 1 - timed.length / all.length, device_ms: mean(all.map(({ device_ms }) => device_ms)) };
}

// Of candidates that are faster than the best, those that were taken for slower ones, or stopped as if they were.
export async function wronglyLost(count: number, seed = 0): Promise<{ wrongly_lost_share: number; unstable_share: number }> {
  let lost = 0, unstable = 0, seen = 0;
  for (const [i, step_ns] of steps_ns.entries()) {
    const bench = await Bench.make(gpuTraits(step_ns, disturbed), seed + 100 + i);
    while (seen < count * (i + 1) / steps_ns.length) {
      const best_us = bench.random.logBetween(5, 2000), kernels_us = Array.from({ length: group_size }, () => best_us * bench.random.between(0.5, 1));
      const results = (await bench.measure(kernels_us, policy, best_us)).map(({ result }) => result);
      lost += results.filter(({ outcome, samples_us }) => outcome === 'ok' && samples_us.length < policy.samples).length;
      unstable += results.filter(({ outcome }) => outcome !== 'ok').length;
      seen += results.length;
    }
  }
  return { wrongly_lost_share: lost / seen, unstable_share: unstable / seen };
}

// Finals of a kernel against itself.
export async function sameAgainstSame(count: number, seed = 0): Promise<{ aa_false_share: number; aa_apart_share: number }> {
  let faster = 0, apart = 0, seen = 0;
  for (const [i, step_ns] of steps_ns.entries()) {
    const bench = await Bench.make(gpuTraits(step_ns, disturbed), seed + 200 + i);
    while (seen < count * (i + 1) / steps_ns.length) {
      const us = bench.random.logBetween(5, 3000), [a, b] = (await bench.measure([us, us], finals)).map(({ result }) => result);
      faster += Number(isFaster(a!, b!) || isFaster(b!, a!));
      apart += Number(Math.abs(a!.latency_us_median / b!.latency_us_median - 1) > apart_beyond);
      seen++;
    }
  }
  return { aa_false_share: faster / seen, aa_apart_share: apart / seen };
}

// One kernel is called faster when each of its samples is faster than the other's of the same turn, by chance one final in 256, and its median by
// more than the clock's step is worth.
function isFaster(a: Result, b: Result): boolean {
  const each = a.samples_us.length > 0 && a.samples_us.length === b.samples_us.length && a.samples_us.every((us, turn) => us < b.samples_us[turn]!);
  return each && b.latency_us_median - a.latency_us_median > a.clock_resolution_ns / 1000 / Math.min(a.repeats, b.repeats);
}

function errorOf({ result, true_us }: Measured): number {
  return Math.abs(result.latency_us_median / true_us - 1);
}

export function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
