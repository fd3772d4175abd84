// DriftMonitor: says from the reference kernel whether the device runs at another speed than of late (clock, heat, other work).
import { median } from './statistics.ts';

const window_max = 24;
const known_min = 5;
const tolerated = 0.05;
const tolerated_steps = 2;     // of the clock: each of two stamps is off by up to one

export class DriftMonitor {
  #history: number[] = [];
  readonly #step_us: number;

  // step_us: that of the clock which times the reference kernel.
  constructor(step_us = 0) {
    this.#step_us = step_us;
  }

  // True when `reference_us` lies further than max(5 %, 3 MAD, 2 steps of the clock) from the median of the last samples. The MAD is told by how
  // much one differs from the next, by √2 times as much: of samples before and after a change of speed it would be of both.
  isOff(reference_us: number): boolean {
    return this.known && Math.abs(reference_us - this.median) > this.#allowance();
  }

  // isOff, and the sample joins the history: a lasting change becomes the new normal after half a window.
  observe(reference_us: number): boolean {
    const drifted = this.isOff(reference_us);
    this.#history.push(reference_us);
    if (this.#history.length > window_max) this.#history.shift();
    return drifted;
  }

  // Whether there were enough samples to tell what is usual.
  get known(): boolean {
    return this.#history.length >= known_min;
  }

  get median(): number {
    return median(this.#history);
  }

  #allowance(): number {
    return Math.max(tolerated * this.median, 3 * this.#deviation(), tolerated_steps * this.#step_us);
  }

  #deviation(): number {
    return median(this.#history.slice(1).map((us, i) => Math.abs(us - this.#history[i]!))) / Math.SQRT2;
  }
}
