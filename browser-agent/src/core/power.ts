// Power: brings a GPU up to its working clock before samples count. After a rest it runs at a fraction of its speed and takes some hundred
// milliseconds of work to get faster; the reference kernel is that work, and shows when it no longer does.
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';
import type { DriftMonitor } from './drift.ts';
import type { Scheduler } from './scheduler.ts';

const rest_ms_max = 20;        // between two kernels: shorter ones leave the clock as it is
const look_us = 10_000;        // of readings, whose mean is finer than the clock's step
const usual = 1.03;
const block_us = 25_000;       // likewise, against those before
const falls = 0.985;           // of the lowest mean so far: less is not faster
const raises_max = 2;          // times end their fall beside other work, too
const raise_ms_max = 600;      // a device that goes on getting faster is measured nevertheless

export type ReadUs = () => Promise<Attempt<number>>;

export class Power {
  #worked_until_ms = -Infinity;

  constructor(private readonly referenceUs: ReadUs, private readonly scheduler: Scheduler, private readonly drift: DriftMonitor) {}

  // The device has worked until now.
  note(): void {
    this.#worked_until_ms = this.scheduler.nowMs();
  }

  // Runs the reference kernel until its times stop falling; for a moment only where they are as usual, not at all where the device has hardly
  // rested. Whatever fails here will fail again with the kernel that is measured.
  async raise(): Promise<void> {
    if (this.scheduler.nowMs() - this.#worked_until_ms < rest_ms_max) return;
    for (let raised = 0; raised < raises_max && !await this.#isUsual(); raised++) await untilSteady(this.referenceUs, () => this.scheduler.nowMs());
  }

  // Or cannot be told.
  async #isUsual(): Promise<boolean> {
    const mean = await meanUs(this.referenceUs, look_us);
    return !mean.ok || (this.drift.known && mean.value <= this.drift.median * usual);
  }
}

// Reads until the times stop falling.
export async function untilSteady(readUs: ReadUs, nowMs: () => number): Promise<void> {
  const until_ms = nowMs() + raise_ms_max;
  for (let lowest_us = Infinity; nowMs() < until_ms;) {
    const mean = await meanUs(readUs, block_us);
    if (!mean.ok || mean.value > lowest_us * falls) return;
    lowest_us = mean.value;
  }
}

// Of as many readings as take so long.
async function meanUs(readUs: ReadUs, long_us: number): Promise<Attempt<number>> {
  let total_us = 0, runs = 0;
  for (; total_us < long_us; runs++) {
    const run = await readUs();
    if (!run.ok) return run;
    total_us += Math.max(run.value, 1);
  }
  return success(total_us / runs);
}
