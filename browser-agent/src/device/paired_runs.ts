// Two builds of a model timed in turns: quads of four samples, the old build at both ends of one and in the middle of the other, as the service's coin
// says. docs/measurement.md says what follows from them.
import { success, type Attempt } from '../core/outcome.ts';
import { median } from '../core/statistics.ts';
import { wallStepNs } from '../../../browser-runtime/src/device/wall_step.ts';
import type { Backend, QuadTimes, Rival } from './backend.ts';
import type { OpenModel, Run } from './timed_runs.ts';

const runs_max = 100_000;        // of one sample (policy): a run of 0.2 µs would make 20 ms
const clock_steps_min = 50;      // of the clock in a piece of a sample: its step is 2 % of it then

// A sample is the median of its pieces: what else the machine does for some milliseconds is in some of them.
interface Contestant {
  model: OpenModel;
  pieces: number;                // of a sample
  runs: number;                  // of a piece
}
type MsOf = (run: Run) => number;

// models: that which is there, and its rival; each has run once.
export async function pairedRuns(models: readonly [OpenModel, OpenModel], rival: Rival, referenceUs: Backend['referenceUs']): Promise<Attempt<QuadTimes>> {
  const by_device_clock = rival.kernels_alone && models.every(({ has_device_clock }) => has_device_clock);
  const msOf: MsOf = by_device_clock ? run => run.kernel_ms : run => run.run_ms;
  const contestants: Contestant[] = [];
  for (const model of models) {
    const contestant = await warmUp(model, rival.sample_ms, msOf, by_device_clock ? model.step_ns ?? 0 : wallStepNs());
    if (!contestant.ok) return contestant;
    contestants.push(contestant.value);
  }
  const quads: QuadTimes = { quad_ms: [], reference_us: [], by_device_clock };
  for (const rival_first of rival.rival_first) {
    const quad = await timeQuad(contestants, rival_first, msOf, referenceUs);
    if (!quad.ok) return quad;
    quads.quad_ms.push(...quad.value.ms);
    quads.reference_us.push(...quad.value.us);
  }
  return success(quads);
}

// How many runs make a sample and its pieces, by those that take as long as one.
async function warmUp(model: OpenModel, sample_ms: number, msOf: MsOf, step_ns: number): Promise<Attempt<Contestant>> {
  const first = await model.once();
  if (!first.ok) return first;
  const settled = await model.settle?.(first.value);
  if (settled?.ok === false) return settled;
  const piece_ms = clock_steps_min * step_ns / 1e6, wanted_ms = Math.max(sample_ms, piece_ms), started = performance.now();
  let runs = 0, ms = 0;
  while (runs === 0 || performance.now() - started < wanted_ms) {
    const run = await model.once();
    if (!run.ok) return run;
    ms += msOf(run.value);
    runs++;
  }
  const of_piece = Math.min(runs_max, Math.max(1, Math.ceil(piece_ms * runs / Math.max(ms, Number.MIN_VALUE))));
  return success({ model, runs: of_piece, pieces: Math.max(1, Math.round(Math.min(runs_max, runs * wanted_ms / (performance.now() - started)) / of_piece)) });
}

// In the order of their roles: old and new of the first pair, old and new of the second.
async function timeQuad(contestants: readonly Contestant[], rival_first: boolean, msOf: MsOf, referenceUs: Backend['referenceUs']): Promise<Attempt<{ ms: number[]; us: number[] }>> {
  const ms = [0, 0, 0, 0], us = [0, 0, 0, 0];
  for (const place of rival_first ? [1, 0, 2, 3] : [0, 1, 3, 2]) {
    const contestant = contestants[place % 2];
    const sample = contestant === undefined ? success(0) : await sampleMs(contestant, msOf);
    if (!sample.ok) return sample;
    const reference = await referenceUs();
    if (!reference.ok) return reference;
    ms[place] = sample.value;
    us[place] = reference.value;
  }
  return success({ ms, us });
}

async function sampleMs({ model, runs, pieces }: Contestant, msOf: MsOf): Promise<Attempt<number>> {
  const all_ms: number[] = [];
  for (let piece = 0; piece < pieces; piece++) {
    let ms = 0;
    for (let i = 0; i < runs; i++) {
      const run = await model.once();
      if (!run.ok) return run;
      ms += msOf(run.value);
    }
    all_ms.push(ms / runs);
  }
  return success(median(all_ms));
}
