// The timing ladder: how often a kernel runs in one sample, and what a sample says of one execution.
// With timestamps, or a clock around kernels that run on this very processor, a sample is N executions in a row, divided by N. Without, it is the slope (T(2N) − T(N)) / N of wall times, which
// cancels what submitting and waiting cost. N grows until a sample is long against the clock's step and the policy's least time.
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { MeasurePolicy, Timer } from '../generated/protocol.ts';

export const repeats_max = 10_000;
const climbs_max = 8;
const negative_slopes_max = 3;

export interface TimedKernel {
  time(repeats: number): Promise<Attempt<number>>;  // ns in all
}

// True where a time is the kernel's own: nothing of submitting and waiting is in it.
export function tellsKernelTime({ method }: Timer): boolean {
  return method !== 'slope';
}

// The least length of one sample in nanoseconds.
export function sampleNsMin(policy: MeasurePolicy, timer: Timer): number {
  return Math.max(policy.sample_ms_min * 1e6, policy.quanta_min * timer.quantum_ns);
}

export class TimingLadder {
  repeats: number;
  readonly #kernel: TimedKernel;
  readonly #timer: Timer;
  readonly #least_ns: number;
  #first: number | undefined;  // the sample that ended the climb, handed out by the next sampleUs
  readonly #long_enough: boolean;

  // first_ns: the time of one execution that was already seen, so that the climb starts near its end.
  constructor(kernel: TimedKernel, timer: Timer, policy: MeasurePolicy, first_ns: number) {
    this.#kernel = kernel;
    this.#timer = timer;
    this.#least_ns = sampleNsMin(policy, timer);
    this.#long_enough = tellsKernelTime(timer) && first_ns >= this.#least_ns;
    this.repeats = clampRepeats(Math.ceil(this.#least_ns / Math.max(first_ns, 1)));
  }

  // Finds the repeats at which a sample is long enough. Runs the kernel, and so warms it up.
  async climb(): Promise<Attempt<void>> {
    if (this.#long_enough) return success(undefined);  // one execution is a sample, and one has warmed it up
    for (let step = 0; step < climbs_max; step++) {
      const elapsed = await this.#kernel.time(this.repeats);
      if (!elapsed.ok) return elapsed;
      if (elapsed.value >= this.#least_ns || this.repeats === repeats_max) {
        if (tellsKernelTime(this.#timer)) this.#first = elapsed.value;
        return success(undefined);
      }
      // A first run is slow when cold: the estimate may have been far too low. 1.1 so that the next sample does not just miss.
      const wanted = this.repeats * 1.1 * (this.#least_ns / Math.max(elapsed.value, 1));
      this.repeats = clampRepeats(Math.min(Math.ceil(wanted), this.repeats * 100));
    }
    return success(undefined);
  }

  // The next sample is measured anew, not the one that ended the climb.
  forget(): void {
    this.#first = undefined;
  }

  // One sample: microseconds of one execution.
  async sampleUs(): Promise<Attempt<number>> {
    if (!tellsKernelTime(this.#timer)) return this.#slopeUs();
    const elapsed = this.#first === undefined ? await this.#kernel.time(this.repeats) : success(this.#first);
    this.#first = undefined;
    return elapsed.ok ? success(elapsed.value / this.repeats / 1000) : elapsed;
  }

  async #slopeUs(): Promise<Attempt<number>> {
    for (let step = 0; step < negative_slopes_max; step++) {
      const once = await this.#kernel.time(this.repeats);
      if (!once.ok) return once;
      const twice = await this.#kernel.time(2 * this.repeats);
      if (!twice.ok) return twice;
      if (twice.value > once.value) return success((twice.value - once.value) / this.repeats / 1000);
    }
    return failure('unstable', 'twice the work took no longer than once; the machine is too busy to time anything');
  }
}

function clampRepeats(repeats: number): number {
  return Math.max(1, Math.min(repeats_max, repeats));
}
