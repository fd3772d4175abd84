// The timing ladder: how often a kernel runs in one sample, and what a sample says of one execution.
// With timestamps, or a clock around kernels that run on this very processor, a sample is N executions in a row, divided by N. Without, it is a slope
// of wall times, (T(M + N) − T(M)) / N, which cancels what submitting and waiting cost; M is a third of N. N grows until a sample is long against the
// clock's step, what waiting scatters and the policy's least time, and falls where a sample is much longer than that. A reading of a few steps of the
// clock, or less than that scatter, decides nothing but that N grows.
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
const short_run = 1 / 3;       // of N: as long as it must be to be of the kind of the longer run; what it takes of the device tells nothing
export const sure_slope = 1 / 3;  // of the least slope: from there on a slope is right to a third
const run_ns_max = 200e6;      // of a slope's longer run

export interface LadderSample {
  readonly us: number;           // of one execution
  readonly repeats: number;      // in a row
  readonly runs?: SlopeRuns;     // of a slope
}

// The wall times between which a slope is.
export interface SlopeRuns {
  readonly short_ns: number;
  readonly long_ns: number;
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
  readonly #slope_ns_min: number;
  readonly #least_ns: number;
  readonly #sure_ns: number;
  #runs: SlopeRuns | undefined;  // of the last slope

  // first_ns: the time of one execution that was already seen, so that the climb starts near its end. slope_ns_min: what a slope must last to be
  // believed (wait_scatter.ts); 0 for other timers.
  constructor(kernel: Timed, timer: Timer, policy: MeasurePolicy, first_ns: number, slope_ns_min = 0) {
    this.#kernel = kernel;
    this.#timer = timer;
    this.#first_ns = first_ns;
    this.#slope_ns_min = slope_ns_min;
    this.#least_ns = Math.max(sampleNsMin(policy, timer), slope_ns_min);
    this.#steps_ns = policy.quanta_min * timer.quantum_ns;
    this.#sure_ns = Math.max(sure_steps * timer.quantum_ns, sure_slope * slope_ns_min);
    this.#grow(first_ns, 1);
  }

  // Finds the repeats at which a sample is long enough: the first reading may be a cold kernel's or the clock's whim, a later one that tells a time
  // says it. Runs the kernel, and so warms it up; what it reads is no sample.
  async climb(): Promise<Attempt<void>> {
    if (tellsKernelTime(this.#timer) && this.#first_ns >= this.#least_ns) return success(undefined);  // one execution is a sample, and one has warmed it up
    for (let step = 0; step < climbs_max; step++) {
      const elapsed = await this.#elapsedNs();
      if (!elapsed.ok) return elapsed;
      if (this.#isLong(elapsed.value, this.#least_ns)) return success(this.#shrink(elapsed.value, too_long));
      const grown = this.#grow(elapsed.value, margin);
      if (step > 0 && (!grown || elapsed.value >= this.#sure_ns)) return success(undefined);
    }
    return success(undefined);
  }

  // Unstable where the time cannot be told.
  async sample(): Promise<Attempt<LadderSample>> {
    const least_ns = Math.max(too_short * this.#least_ns, too_few_steps * this.#steps_ns, this.#slope_ns_min / margin);
    for (let take = 0, grown = true; take < takes_max && grown; take++) {
      const repeats = this.repeats, elapsed = await this.#elapsedNs();
      if (!elapsed.ok) return elapsed;
      if (this.#isLong(elapsed.value, least_ns)) {
        this.#shrink(elapsed.value, far_too_long);
        return success({ us: elapsed.value / repeats / 1000, repeats, ...(this.#runs && { runs: this.#runs }) });
      }
      // One reading may be the clock's whim. Of slopes with the same repeats, read until one is long, only what scatter has made long would count.
      if (take > 0 || !tellsKernelTime(this.#timer)) grown = this.#grow(elapsed.value, margin);
    }
    return failure('unstable', this.#untold());
  }

  // What a sample divides: the time of `repeats` executions, or how much longer a run takes that has so many more.
  async #elapsedNs(): Promise<Attempt<number>> {
    if (tellsKernelTime(this.#timer)) return this.#kernel.time(this.repeats);
    const few = Math.ceil(short_run * this.repeats), short = await this.#kernel.time(few);
    if (!short.ok) return short;
    const long = await this.#kernel.time(few + this.repeats);
    if (!long.ok) return long;
    this.#runs = { short_ns: short.value, long_ns: long.value };
    return success(long.value - short.value);
  }

  #isLong(elapsed_ns: number, least_ns: number): boolean {
    return elapsed_ns >= this.#sure_ns && (elapsed_ns >= least_ns || (this.repeats === repeats_max && elapsed_ns >= this.#slope_ns_min / margin));
  }

  // After a reading that was too short; false at the limit. One that tells no time says at least that the kernel takes no longer than that and two steps.
  #grow(elapsed_ns: number, margin: number): boolean {
    const before = this.repeats, sure = elapsed_ns >= this.#sure_ns;
    const factor = sure ? margin * this.#least_ns / elapsed_ns : Math.max(2, this.#sure_ns / (Math.max(0, elapsed_ns) + 2 * this.#timer.quantum_ns));
    const factor_max = Math.min(sure ? growth_max_sure : growth_max, this.#runs === undefined ? Infinity : Math.max(1, run_ns_max / this.#runs.long_ns));
    this.repeats = clampRepeats(Math.ceil(before * Math.min(factor, factor_max)));
    return this.repeats > before;
  }

  #untold(): string {
    const executions = `${this.repeats} executions in a row`;
    if (tellsKernelTime(this.#timer)) return `the clock does not tell the time of ${executions}: it steps by ${this.#timer.quantum_ns} ns, or the machine is too busy`;
    return `wall times do not tell the time of ${executions}: submitting and waiting scatter so much that only a difference of ${Math.ceil(this.#least_ns / 1e6)} ms is one; let nothing else use the device`;
  }

  #shrink(elapsed_ns: number, longer: number): void {
    if (elapsed_ns > longer * this.#least_ns) this.repeats = clampRepeats(Math.ceil(margin * this.repeats * this.#least_ns / elapsed_ns));
  }
}

function clampRepeats(repeats: number): number {
  return Math.max(1, Math.min(repeats_max, repeats));
}
