// SimulatedGpu: a device in a time of its own. Work takes what the power, heat and other work of the moment make of it; its clock says of that
// what a browser's would: in steps, with jitter, sometimes nonsense, perhaps in the wrong unit. Nothing sleeps; time moves by work alone.
import type { Reading } from '../reading.ts';
import { Random } from './random.ts';

export interface Traits {
  readonly clock: {
    step_ns: number;          // stamps are multiples of it
    jitter_ns: number;        // deviation of a stamp
    unit: number;             // 1; 1000 or 0.001 where it says other units than it should
    negative_share: number;   // readings whose end lies before their beginning
    absurd_share: number;     // readings that are zero or far beyond the time that has passed
  };
  readonly host: {
    submit_ns: number;
    wait_ns: number;          // from the end of the work to the moment when the page knows it
    jitter: number;           // of both, as a share
    step_ns: number;          // of performance.now
  };
  readonly power: {
    cold: number;             // the share of its speed that a device has after a rest
    ramp_ms: number;          // of work to full speed
    rest_ms: number;          // without work until it begins to fall
    fall_ms: number;          // from full speed to cold
  };
  readonly throttle: { from_ms: number; until_ms: number; speed: number };
  readonly drift: { share: number; period_ms: number };              // of its speed, up and down
  readonly bursts: { apart_ms: number; long_ms: number; slowdown: number };  // of other work, at any moment
  readonly memory: { cache_bytes: number; ns_per_byte: number };     // what a byte costs that is not in the cache; 0 bytes: memory costs nothing
  readonly work_jitter: number;  // deviation of a run's time, as a share
}

export const steady: Traits = {
  clock: { step_ns: 1, jitter_ns: 0, unit: 1, negative_share: 0, absurd_share: 0 },
  host: { submit_ns: 50_000, wait_ns: 200_000, jitter: 0, step_ns: 5000 },
  power: { cold: 1, ramp_ms: 300, rest_ms: 50, fall_ms: 300 },
  throttle: { from_ms: Infinity, until_ms: Infinity, speed: 1 },
  drift: { share: 0, period_ms: 20_000 },
  bursts: { apart_ms: Infinity, long_ms: 20, slowdown: 2 },
  memory: { cache_bytes: 0, ns_per_byte: 0 },
  work_jitter: 0,
};

const piece_ns = 0.5e6;       // of work, within which the speed is held to be constant
const pass_ns = 2000;         // between the stamps besides the work

export class SimulatedGpu {
  readonly random: Random;
  readonly #phase_ns: number; // of the clock's steps against true time
  #now_ns = 0;
  #busy_ns = 0;
  #worked_at_ns = -Infinity;
  #warmth = 0;                // 1: at full speed
  #burst = { from_ns: Infinity, until_ns: Infinity };

  constructor(readonly traits: Traits, seed: number) {
    this.random = new Random(seed);
    this.#phase_ns = this.random.uniform() * traits.clock.step_ns;
    this.#nextBurst();
  }

  get now_ms(): number {
    return this.#now_ns / 1e6;
  }

  // Time in which it worked.
  get busy_ms(): number {
    return this.#busy_ns / 1e6;
  }

  rest(ms: number): void {
    this.#now_ns += ms * 1e6;
  }

  // Executes what takes `work_ns` at full speed.
  run(work_ns: number): Reading {
    const { submit_ns, wait_ns, step_ns } = this.traits.host, from_ns = this.#now_ns;
    this.#now_ns += this.#host(submit_ns);
    const begin_ns = this.#stamp();
    this.#work(pass_ns + work_ns * Math.max(0.5, 1 + this.traits.work_jitter * this.random.normal()));
    const end_ns = this.#stamp();
    this.#now_ns += this.#host(wait_ns);
    const wall_ns = Math.floor(this.#now_ns / step_ns) * step_ns - Math.floor(from_ns / step_ns) * step_ns;
    return { device_ns: this.#spoilt((end_ns - begin_ns) * this.traits.clock.unit, wall_ns), wall_ns };
  }

  #host(ns: number): number {
    return ns * Math.max(0.2, 1 + this.traits.host.jitter * this.random.normal());
  }

  #stamp(): number {
    const { step_ns, jitter_ns } = this.traits.clock;
    return Math.floor((this.#now_ns + this.#phase_ns + jitter_ns * this.random.normal()) / step_ns) * step_ns;
  }

  #spoilt(device_ns: number, wall_ns: number): number {
    const { negative_share, absurd_share } = this.traits.clock;
    if (this.random.chance(negative_share)) return -device_ns - this.random.logBetween(1e3, 1e12);
    if (this.random.chance(absurd_share)) return this.random.chance(0.3) ? 0 : wall_ns * this.random.logBetween(2, 1e9);
    return device_ns;
  }

  #work(work_ns: number): void {
    this.#coolDown();
    for (let left_ns = work_ns; left_ns > 0;) {
      const speed = this.#speed(), taken_ns = Math.min(piece_ns, left_ns / speed);
      left_ns -= taken_ns * speed + 1e-6;
      this.#now_ns += taken_ns;
      this.#busy_ns += taken_ns;
      this.#warmth = Math.min(1, this.#warmth + taken_ns / (this.traits.power.ramp_ms * 1e6));
    }
    this.#worked_at_ns = this.#now_ns;
  }

  #coolDown(): void {
    const { rest_ms, fall_ms } = this.traits.power, idle_ms = (this.#now_ns - this.#worked_at_ns) / 1e6 - rest_ms;
    if (idle_ms > 0) this.#warmth = Math.max(0, this.#warmth - idle_ms / fall_ms);
  }

  #speed(): number {
    const { power, throttle, drift, bursts } = this.traits, now_ms = this.now_ms;
    while (this.#now_ns > this.#burst.until_ns) this.#nextBurst();
    const ramp = power.cold + (1 - power.cold) * this.#warmth;
    const heat = now_ms >= throttle.from_ms && now_ms < throttle.until_ms ? throttle.speed : 1;
    const drifted = 1 + drift.share / 2 * Math.sin(2 * Math.PI * now_ms / drift.period_ms);
    return ramp * heat * drifted / (this.#now_ns >= this.#burst.from_ns ? bursts.slowdown : 1);
  }

  #nextBurst(): void {
    const { apart_ms, long_ms } = this.traits.bursts;
    if (apart_ms === Infinity) return;
    const from_ns = this.#now_ns + this.random.exponential(apart_ms) * 1e6;
    this.#burst = { from_ns, until_ns: from_ns + this.random.exponential(long_ms) * 1e6 };
  }
}
