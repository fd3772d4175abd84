// Which of a kernel's samples count on a device that nothing else tells of: the fastest, where they agree. Other work only adds to the time of a
// run, so some samples beside it may agree with each other and not with the kernel; a faster one among them tells.
// A slope is a difference of two runs, and either may be beside other work, which makes a slope shorter as well as longer. So its runs are judged,
// shorter ones with shorter ones and longer ones with longer ones, and slopes are taken between those that count.
import type { LadderSample } from './timing_ladder.ts';

const apart_max = 0.1;
// Of three runs that only waiting scatters, 19 in 20 are within 3.31 of its deviations (the studentized range). A slope lasts 33.5 deviations of a
// difference of two waits (wait_scatter.ts), √2 times those of one: 3.31 / (√2 · 33.5). By stamps 50 steps apart, samples differ by two steps at most.
const apart_max_sure = 0.07;

// Of at least `count` samples those `count` that are the fastest, in the order in which they were taken; of fewer all. Of slopes those of the last
// one's repeats, each between a shorter and a longer run that count.
export function fastest<S extends LadderSample>(samples: readonly S[], count: number): S[] {
  const alike = samples.filter(sample => isComparable(sample, samples.at(-1)!));
  if (alike[0]?.runs === undefined) return least(alike, count, ({ us }) => us);
  const short = least(alike, count, ({ runs }) => runs!.short_ns), long = least(alike, count, ({ runs }) => runs!.long_ns);
  return long.map((sample, i) => between(sample, short[i]!.runs!.short_ns));
}

// True where the fastest `count` can be believed: they differ by no more than a tenth; of slopes their shorter runs do and their longer ones, by no
// more than a tenth of the slope, and none of other repeats was faster by more than that.
export function agree(samples: readonly LadderSample[], count: number): boolean {
  return apart(samples, count) <= apart_max;
}

// True where one more sample would tell nothing: they differ by no more than waiting and the clock's steps make them.
export function isSure(samples: readonly LadderSample[], count: number): boolean {
  return apart(samples, count) <= apart_max_sure;
}

// By how much the fastest `count` differ, as a share of a sample.
function apart(samples: readonly LadderSample[], count: number): number {
  const chosen = fastest(samples, count), runs = chosen.flatMap(({ runs }) => runs ?? []), all_us = chosen.map(({ us }) => us);
  if (chosen.length < count) return Infinity;
  if (runs.length === 0) return range(all_us) / Math.min(...all_us);
  const short_ns = runs.map(({ short_ns }) => short_ns), long_ns = runs.map(({ long_ns }) => long_ns);
  const others_us = samples.filter(sample => !isComparable(sample, chosen[0]!)).map(({ us }) => us), slope_ns = Math.min(...long_ns) - Math.min(...short_ns);
  return Math.max(range(short_ns) / slope_ns, range(long_ns) / slope_ns, 1 - Math.min(...others_us) / Math.min(...all_us));
}

// Runs tell of each other where they are of the same length.
function isComparable(one: LadderSample, other: LadderSample): boolean {
  return one.runs === undefined || one.repeats === other.repeats;
}

function least<S>(samples: readonly S[], count: number, timeOf: (sample: S) => number): S[] {
  const chosen = new Set([...samples].sort((a, b) => timeOf(a) - timeOf(b)).slice(0, count));
  return samples.filter(sample => chosen.has(sample));
}

function between<S extends LadderSample>(sample: S, short_ns: number): S {
  const { long_ns } = sample.runs!;
  return { ...sample, us: (long_ns - short_ns) / sample.repeats / 1000, runs: { short_ns, long_ns } };
}

function range(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}
