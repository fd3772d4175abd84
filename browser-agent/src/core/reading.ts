// Readings of a device's own clock. GPUs stamp in steps, let an end lie before its beginning (WebGPU allows it), and some drivers give nonsense:
// what the device says of a piece of work is believed only as far as the page's clock around it does not contradict.
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import { median } from './statistics.ts';

export interface Reading {
  readonly device_ns: number;   // by the device's clock; by the page's where there is no other
  readonly wall_ns: number;     // by the page's clock, from before the work was submitted until its end was known
}

export const readings_max = 5;
const beyond = 1.25;            // of the wall time: two clocks differ a little
const beyond_ns = 0.5e6;        // and each has its steps

const agreement = 2;            // how far the device's clock may be from the wall's
const trust_tries = 6;

export function isCredible({ device_ns, wall_ns }: Reading): boolean {
  return device_ns >= 0 && device_ns <= wall_ns * beyond + beyond_ns;
}

// For work that cannot be done again: the wall time where the device's clock says nonsense.
export function saidNs(reading: Reading): number {
  return isCredible(reading) ? reading.device_ns : reading.wall_ns;
}

// The first credible of some readings, nanoseconds; unstable where there is none.
export async function credibleNs(read: () => Promise<Reading>): Promise<Attempt<number>> {
  let last: Reading = { device_ns: NaN, wall_ns: NaN };
  for (let i = 0; i < readings_max; i++) {
    last = await read();
    if (isCredible(last)) return success(last.device_ns);
  }
  return failure('unstable', `the device's clock said ${ms(last.device_ns)} of work that took ${ms(last.wall_ns)} at most, nonsense ${readings_max} times in a row`);
}

// What the device's clock says of some work, and of four times that work, over what the wall clock says: it may count in another unit, or
// give zeros, or the time of something else. The difference of both works is compared, which submitting and waiting have no part in; of some tries
// that of the shortest waits, because a busy machine adds to them, and of the device's middle times, because some may be nonsense. Of the first
// try in which the clocks agree, else of the last.
export async function clockRatio(read: (works: number) => Promise<Reading>): Promise<number> {
  const once: Reading[] = [], four_times: Reading[] = [];
  let ratio = NaN;
  for (let i = 0; i < trust_tries && !isAgreement(ratio); i++) {
    once.push(await read(2));
    four_times.push(await read(8));
    const by_wall = shortestWaitNs(four_times) - shortestWaitNs(once);
    ratio = by_wall > 0 ? (middleNs(four_times) - middleNs(once)) / by_wall : NaN;
  }
  return ratio;
}

export function isAgreement(ratio: number): boolean {
  return ratio > 1 / agreement && ratio < agreement;
}

export async function clocksAgree(read: (works: number) => Promise<Reading>): Promise<boolean> {
  return isAgreement(await clockRatio(read));
}

function middleNs(readings: readonly Reading[]): number {
  return median(readings.map(({ device_ns }) => device_ns));
}

function shortestWaitNs(readings: readonly Reading[]): number {
  return Math.min(...readings.map(({ wall_ns }) => wall_ns));
}

function ms(ns: number): string {
  return `${(ns / 1e6).toPrecision(3)} ms`;
}
