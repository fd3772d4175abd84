// How often a reference kernel runs in one reading: so often that it takes a millisecond and 40 steps of the clock: two steps are the 5 %
// beyond which it has drifted. Of wall times as long as a slope, too, so that submitting and waiting scatter by no more than that.
import { success } from './outcome.ts';
import { untilSteady } from './power.ts';
import { sure_slope, tellsKernelTime } from './timing_ladder.ts';
import { WaitScatter } from './wait_scatter.ts';
import type { Timer } from '../generated/protocol.ts';

const aim_ns = 1e6;
const aim_steps = 40;
const slope_ns_max = 25e6;     // what power.ts compares
const sure_steps = 10;
const growth = 8;              // after a reading that tells no time
const near = 1.3;
const readings_max = 8;
const fits = 3;                // at full speed, apart: other work beside one makes its repeats fewer
const reference_repeats_max = 10_000;

// timeNs: of so many executions. What it says first may hold what drivers compile.
export async function referenceRepeats(timeNs: TimeNs, timer: Timer, nowMs: () => number): Promise<number> {
  return (await ReferenceFit.begin(timeNs, timer)).surely(nowMs);
}

type TimeNs = (repeats: number) => Promise<number>;

// Fits repeats to a kernel. Waits are looked at once, however often its work is set anew.
export class ReferenceFit {
  #repeats = 1;

  private constructor(private readonly timeNs: TimeNs, private readonly timer: Timer, private readonly slope_ns: number) {}

  static async begin(timeNs: TimeNs, timer: Timer): Promise<ReferenceFit> {
    await timeNs(1);
    return new ReferenceFit(timeNs, timer, tellsKernelTime(timer) ? 0 : await slopeNs(timeNs));
  }

  // As the device is at the moment: it may be at rest, or busy.
  async roughly(): Promise<number> {
    return this.#repeats = await fit(this.timeNs, this.timer, this.#repeats, this.slope_ns);
  }

  async surely(nowMs: () => number): Promise<number> {
    await this.roughly();
    let most = 0;
    for (let round = 0; round < fits; round++) {
      await untilSteady(async () => success(await this.timeNs(this.#repeats) / 1000), nowMs);
      most = Math.max(most, await this.roughly());
    }
    return this.#repeats = most;
  }
}

async function slopeNs(timeNs: TimeNs): Promise<number> {
  const scatter = new WaitScatter(async () => success(await timeNs(1)));
  await scatter.look();
  return Math.min(slope_ns_max, scatter.slope_ns_min);
}

// Of wall times the difference of two is looked at, which submitting and waiting have no part in.
async function fit(timeNs: TimeNs, timer: Timer, first: number, slope_ns: number): Promise<number> {
  const { quantum_ns } = timer, aim = Math.max(aim_ns, aim_steps * quantum_ns, slope_ns), least_sure = Math.max(sure_steps * quantum_ns, sure_slope * slope_ns);
  const elapsedNs = async (repeats: number): Promise<number> => (tellsKernelTime(timer) ? timeNs(repeats) : -await timeNs(repeats) + await timeNs(2 * repeats));
  let repeats = first;
  for (let reading = 0; reading < readings_max; reading++) {
    const ns = await elapsedNs(repeats), sure = ns >= least_sure;
    if (sure && ns < aim * near && ns > aim / near) break;
    repeats = Math.max(1, Math.min(reference_repeats_max, Math.round(sure ? repeats * aim / ns : repeats * growth)));
  }
  return repeats;
}
