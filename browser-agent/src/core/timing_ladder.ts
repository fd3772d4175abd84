// The timing ladder: how often a kernel runs in one sample, and what a sample says of one execution.
// With timestamps, or a clock around kernels that run on this very processor, a sample is N executions in a row, divided by N. Without, it is the slope (T(2N) − T(N)) / N of wall times, which
// cancels what submitting and waiting cost. N grows until a sample is long against the clock's step and the policy's least time, and falls where a
// sample is much longer than that. A reading of a few steps of the clock decides nothing but that N grows.
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { Timed } from '../device/backend.ts';
import type { MeasurePolicy, Timer } from '../generated/protocol.ts';

export const repeats_max = 10_000;
const climbs_max = 12;
const takes_max = 5;           // of one sample
const sure_steps = 10;         // of the clock, from which on a reading tells a time
const margin = 1.1;            // so that the next sample does not just miss
const growth_max = 8;          // after a reading that tells no time,
const growth_max_sure = 100;   // and after one that does: a first run is slow when cold
const too_long = 2;            // times the least length of a sample, when climbing,
const far_too_long = 4;        // and when sampling, where other work takes the device for a moment
const too_short = 0.5;
const too_few_steps = 0.85;    // times the policy's least number of them
const noise_runs = 6;          // of T(1), whose scatter is that of submitting and waiting
const noise_run_ns_max = 50e6;  // a longer run is the kernel's
const noise_sure = 2;          // times that scatter, from which on a difference tells a time,
const noise_long = 12;         // and at which it is a sample, unless that takes too long
const slope_ns_max = 25e6;
const run_ns_max = 200e6;      // of a slope's longer run: differences may be nonsense

export interface LadderSample {
  readonly us: number;           // of one execution
  readonly repeats: number;      // in a row
}

// True where a time is the kernel's own: nothing of submitting and waiting is in it.
export function tellsKernelTime({ method }: Timer): boolean {
  return method !== 'slope';
}

// The least length of one sample in nanoseconds.
function sampleNsMin(policy: MeasurePolicy, timer: Timer): number {
  return Math.max(policy.sample_ms_min * 1e6, policy.quanta_min * timer.quantum_ns);
}

export class TimingLadder {
  repeats = 1;
  readonly #kernel: Timed;
  readonly #timer: Timer;
  readonly #first_ns: number;
  readonly #steps_ns: number;  // the policy's least number of steps
  #least_ns: number;
  #sure_ns: number;
  #run_ns = 0;                 // of the last slope's longer run

  // first_ns: the time of one execution that was already seen, so that the climb starts near its end.
  constructor(kernel: Timed, timer: Timer, policy: MeasurePolicy, first_ns: number) {
    this.#kernel = kernel;
    this.#timer = timer;
    this.#first_ns = first_ns;
    this.#least_ns = sampleNsMin(policy, timer);
    this.#steps_ns = policy.quanta_min * timer.quantum_ns;
    this.#sure_ns = sure_steps * timer.quantum_ns;
    this.#grow(first_ns, 1);
  }

  // Finds the repeats at which a sample is long enough: the first reading may be a cold kernel's or the clock's whim, a later one that tells a time
  // says it. Runs the kernel, and so warms it up; what it reads is no sample.
  async climb(): Promise<Attempt<void>> {
    if (tellsKernelTime(this.#timer) && this.#first_ns >= this.#least_ns) return success(undefined);  // one execution is a sample, and one has warmed it up
    const settled = tellsKernelTime(this.#timer) ? success(undefined) : await this.#allowForNoise();
    if (!settled.ok) return settled;
    for (let step = 0; step < climbs_max; step++) {
      const elapsed = await this.#elapsedNs();
      if (!elapsed.ok) return elapsed;
      if (this.#isLong(elapsed.value, this.#least_ns)) return success(this.#shrink(elapsed.value, too_long));
      this.#grow(elapsed.value, margin);
      if (step > 0 && this.#tells(elapsed.value)) return success(undefined);
    }
    return success(undefined);
  }

  // Unstable where the time cannot be told.
  async sample(): Promise<Attempt<LadderSample>> {
    for (let take = 0; take < takes_max; take++) {
      const repeats = this.repeats, elapsed = await this.#elapsedNs();
      if (!elapsed.ok) return elapsed;
      if (this.#isLong(elapsed.value, Math.max(too_short * this.#least_ns, too_few_steps * this.#steps_ns))) {
        this.#shrink(elapsed.value, far_too_long);
        return success({ us: elapsed.value / repeats / 1000, repeats });
      }
      if (take > 0) this.#grow(elapsed.value, margin);  // one reading may be the clock's whim
    }
    return failure('unstable', `the clock does not tell the time of ${this.repeats} executions in a row: it steps by ${this.#timer.quantum_ns} ns, or the machine is too busy`);
  }

  // What a sample divides: the time of `repeats` executions, or how much longer twice as many take.
  async #elapsedNs(): Promise<Attempt<number>> {
    const once = await this.#kernel.time(this.repeats);
    if (!once.ok || tellsKernelTime(this.#timer)) return once;
    const twice = await this.#kernel.time(2 * this.repeats);
    if (!twice.ok) return twice;
    this.#run_ns = twice.value;
    return success(twice.value - once.value);
  }

  // True where a reading sets the repeats for good: a sample that comes out too short nevertheless is taken again. A slope is surer when long.
  #tells(elapsed_ns: number): boolean {
    return tellsKernelTime(this.#timer) && elapsed_ns >= this.#sure_ns;
  }

  // How much submitting and waiting differ from run to run is an error of each slope: it must be long against that.
  async #allowForNoise(): Promise<Attempt<void>> {
    let least_ns = Infinity, most_ns = 0;
    for (let run = 0; run < noise_runs && most_ns < noise_run_ns_max; run++) {
      const once = await this.#kernel.time(1);
      if (!once.ok) return once;
      least_ns = Math.min(least_ns, once.value);
      most_ns = Math.max(most_ns, once.value);
    }
    const noise_ns = most_ns - least_ns;
    this.#sure_ns = Math.max(this.#sure_ns, noise_ns * noise_sure);
    this.#least_ns = Math.max(this.#least_ns, Math.min(slope_ns_max, noise_ns * noise_long));
    return success(undefined);
  }

  #isLong(elapsed_ns: number, least_ns: number): boolean {
    return elapsed_ns >= this.#sure_ns && (elapsed_ns >= least_ns || this.repeats === repeats_max);
  }

  // After a reading that was too short. One that tells no time says at least that the kernel takes no longer than that and two steps.
  #grow(elapsed_ns: number, margin: number): void {
    const sure = elapsed_ns >= this.#sure_ns;
    const factor = sure ? margin * this.#least_ns / elapsed_ns : Math.max(2, this.#sure_ns / (Math.max(0, elapsed_ns) + 2 * this.#timer.quantum_ns));
    const factor_max = Math.min(sure ? growth_max_sure : growth_max, this.#run_ns === 0 ? Infinity : Math.max(1, run_ns_max / this.#run_ns));
    this.repeats = clampRepeats(Math.ceil(this.repeats * Math.min(factor, factor_max)));
  }

  #shrink(elapsed_ns: number, longer: number): void {
    if (elapsed_ns > longer * this.#least_ns) this.repeats = clampRepeats(Math.ceil(margin * this.repeats * this.#least_ns / elapsed_ns));
  }
}

function clampRepeats(repeats: number): number {
  return Math.max(1, Math.min(repeats_max, repeats));
}
