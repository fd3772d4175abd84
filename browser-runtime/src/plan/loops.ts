// What a plan's run does next where some of its launches run again and again.
import type { PlanLoop } from '../generated/manifest.ts';
import { failure, success, type Attempt } from '../device/outcome.ts';
import type { PlanSpec } from './plan.ts';

// Launches in a row, from `first` to before `last`; or the question whether the first word of a buffer is not 0, which next() answers.
export type Piece = { readonly first: number; readonly last: number } | { readonly condition: number };

export const launches_max = 65_536;   // that are handed to a device at once: as many as a plan without loops may have

type Looped = Pick<PlanSpec, 'launches' | 'loops'>;

export function* piecesOf({ launches, loops }: Looped): Generator<Piece, void, boolean> {
  yield* piecesWithin(loops, { first: 0, last: launches.length }, 0);
}

// Of the launches of a range, in which none of the loops before `next` begins.
function* piecesWithin(loops: readonly PlanLoop[], { first, last }: { first: number; last: number }, next: number): Generator<Piece, void, boolean> {
  let at = first;
  for (const [i, loop] of loops.entries()) {
    if (i < next || loop.first < at) continue;   // or it stands in one that has run
    if (loop.first >= last) break;
    if (at < loop.first) yield { first: at, last: loop.first };
    yield* tripsOf(loops, i);
    at = loop.last;
  }
  if (at < last) yield { first: at, last };
}

function* tripsOf(loops: readonly PlanLoop[], position: number): Generator<Piece, void, boolean> {
  const loop = loops[position]!, { condition, trips = 0 } = loop;
  for (let trip = 0; condition === undefined ? trip < trips : yield { condition }; trip++) yield* piecesWithin(loops, loop, position + 1);
}

// Whether a run must wait for what a condition says.
export function asks({ loops }: Pick<PlanSpec, 'loops'>): boolean {
  return loops.some(({ condition }) => condition !== undefined);
}

// Loops of launches that there are, each inside or behind each one before it.
export function checkLoops({ loops, launches, buffers }: Pick<PlanSpec, 'launches' | 'loops' | 'buffers'>): Attempt<void> {
  for (const [i, { first, last, trips, condition }] of loops.entries()) {
    if (first >= last || last > launches.length) return failure('validation_error', `loop ${i} runs the launches ${first} to ${last} of ${launches.length}`);
    if ((trips === undefined) === (condition === undefined)) return failure('validation_error', `loop ${i} has neither trips nor a condition, or both`);
    if (condition !== undefined && (buffers[condition] ?? 0) < 4) return failure('validation_error', `loop ${i} asks buffer ${condition}, which holds no word`);
    const fits = loops.slice(0, i).every(before => first >= before.last || (first >= before.first && last <= before.last));
    if (!fits) return failure('validation_error', `loop ${i} overlaps another one`);
  }
  return success(undefined);
}
