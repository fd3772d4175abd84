// ReferenceWork: how much a run of a GPU's reference kernel does. Rounds of multiply-adds in registers, by as many threads as fill most GPUs, so that it follows the
// clock of the shader units, on all of them; in few launches, so that it times them and not what lies between launches.
import { saidNs, type Reading } from './reading.ts';
import { ReferenceFit } from './reference_repeats.ts';
import type { Timer } from '../generated/protocol.ts';

export const threads = 16_384;         // estimate: a lane each has one vector on most GPUs (NVIDIA RTX 4090: 16,384 lanes); the largest stay idle in part (RTX 5090: 21,760)
const rounds_first = 8;
const rounds_max = 65_536;
const launches_max = 8;                // of a run, so that what lies between them is a small part of it
const health_runs = 5;
const flops_per_round = 4 * 4 * 2;     // of a thread: vectors of four, in four lines of a multiplication and an addition
export const health_flops = threads * rounds_first * flops_per_round;   // of the work that healthUs times

// The same lines in WGSL and in GLSL, `a` and `b` being vectors of four.
export const round_code = `
    a = a * 0.999 + b;
    b = b * 0.998 + 0.001;
    a = a * 0.997 - b;
    b = b * 0.996 + 0.002;`;

type ReadNs = (launches: number) => Promise<Reading>;

// How much a run does, on one device.
export interface WorkSetting {
  rounds: number;    // of a launch
  repeats: number;   // launches
}

export class ReferenceWork {
  #repeats = 1;
  #rounds = 0;

  // setRounds: of every launch from then on.
  constructor(private readonly setRounds: (rounds: number) => void, private readonly nowMs: () => number) {
    this.#set(rounds_first);
  }

  // Launches of a run.
  get repeats(): number {
    return this.#repeats;
  }

  // Of the work of which healthUs tells the time, in a run.
  get works(): number {
    return this.#repeats * this.#rounds / rounds_first;
  }

  get setting(): WorkSetting {
    return { rounds: this.#rounds, repeats: this.#repeats };
  }

  // In place of calibrating: as it was on this device before.
  use({ rounds, repeats }: WorkSetting): void {
    this.#set(rounds);
    this.#repeats = repeats;
  }

  // Sets the work so that a run is long against the step of the clock: rounds until a few launches suffice, then their number. readNs: of so many launches.
  async calibrate(readNs: ReadNs, timer: Timer): Promise<void> {
    const fit = await this.calibrateRoughly(readNs, timer);
    this.#repeats = await fit.surely(this.nowMs);
  }

  // As the device is at the moment, which suffices for trying its clock.
  async calibrateRoughly(readNs: ReadNs, timer: Timer): Promise<ReferenceFit> {
    const fit = await ReferenceFit.begin(async launches => saidNs(await readNs(launches)), timer);
    this.#repeats = await fit.roughly();
    while (this.#repeats > launches_max && this.#rounds < rounds_max) {
      this.#set(Math.min(rounds_max, Math.ceil(this.#rounds * 2 * this.#repeats / launches_max)));
      this.#repeats = await fit.roughly();
    }
    return fit;
  }

  // The time of the first work: comparable between openings of one device, whose work may differ. The fastest of some runs, because the question is
  // whether the device is still busy with old work, not whether the machine is.
  async healthUs(runNs: () => Promise<Reading>): Promise<number> {
    let fastest_ns = Infinity;
    for (let i = 0; i < health_runs; i++) fastest_ns = Math.min(fastest_ns, saidNs(await runNs()));
    return fastest_ns / this.works / 1000;
  }

  #set(rounds: number): void {
    this.#rounds = rounds;
    this.setRounds(rounds);
  }
}
