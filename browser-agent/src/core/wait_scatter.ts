// WaitScatter: by how much submitting and waiting differ from run to run on a device whose times are slopes of wall times, and how long a slope must
// be for that. A slope is a difference of two wall times, and so has the error that a difference of two runs of next to nothing has.
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';
import { median } from './statistics.ts';

const known_min = 48;          // differences: they tell the deviation to some 15 %
const window_max = 96;
const looks = 3;               // runs at a time, once it is known; before that
const look_ns_max = 1e9;       // as many as that takes, or fit into this: the watchdog counts in seconds
// Of normal scatter four fifths lie within 1.2816 deviations. What lies beyond may be anything: the median of a candidate's samples leaves it out.
const within_share = 0.8;
const within_deviations = 1.2816;
// Where a slope is off by a tenth only beyond 3.35 deviations, one in 2,500 is so to one side, and two of three samples to the same side in one
// candidate of a million.
const deviations = 3.35;
const error_max = 0.1;

export class WaitScatter {
  #differences_ns: number[] = [];
  #waits_ns: number[] = [];

  // waitNs: wall time of submitting next to nothing and waiting for it.
  constructor(private readonly waitNs: () => Promise<Attempt<number>>) {}

  // Looks at a few runs; at first at as many as it takes to know, as far as they are no long ones.
  async look(): Promise<Attempt<void>> {
    let before_ns: number | undefined, spent_ns = 0;
    for (let run = 0; run < looks || (this.#differences_ns.length < known_min && spent_ns < look_ns_max); run++) {
      const now = await this.waitNs();
      if (!now.ok) return now;
      this.#waits_ns.push(now.value);
      if (before_ns !== undefined) this.#differences_ns.push(Math.abs(now.value - before_ns));
      before_ns = now.value;
      spent_ns += now.value;
    }
    this.#differences_ns = this.#differences_ns.slice(-window_max);
    this.#waits_ns = this.#waits_ns.slice(-window_max);
    return success(undefined);
  }

  // What submitting and waiting usually take, the median; 0 before the first look.
  get wait_ns(): number {
    return this.#waits_ns.length === 0 ? 0 : median(this.#waits_ns);
  }

  // The standard deviation of a difference of two runs; 0 before the first look.
  get deviation_ns(): number {
    const order = [...this.#differences_ns].sort((a, b) => a - b);
    return (order[Math.floor(order.length * within_share)] ?? 0) / within_deviations;
  }

  // From which on the median of slopes is within a tenth of the truth.
  get slope_ns_min(): number {
    return deviations / error_max * this.deviation_ns;
  }
}
