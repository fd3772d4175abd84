// DriftMonitor: says from the reference kernel whether the device runs at another speed than of late (clock, heat, other work).
import { median, medianAbsoluteDeviation } from './statistics.ts';

const window_max = 24;
const known_min = 5;
const tolerated = 0.05;

export class DriftMonitor {
  #history: number[] = [];

  // True when `reference_us` lies further than max(5 %, 3 MAD) from the median of the last samples.
  isOff(reference_us: number): boolean {
    return this.#history.length >= known_min && Math.abs(reference_us - this.median) > this.#allowance();
  }

  // isOff, and the sample joins the history: a lasting change becomes the new normal after half a window.
  observe(reference_us: number): boolean {
    const drifted = this.isOff(reference_us);
    this.#history.push(reference_us);
    if (this.#history.length > window_max) this.#history.shift();
    return drifted;
  }

  get median(): number {
    return median(this.#history);
  }

  #allowance(): number {
    return Math.max(tolerated * this.median, 3 * medianAbsoluteDeviation(this.#history));
  }
}
