// How many times faster one is than others that took turns with it: of the fastest of them the median of the rounds' ratios, each of which a shared
// machine's other work touches alike. ms: medians by name, samples: by name for each round. {over, rival}, or null where one side is missing.
import { median } from '../median.mjs';

export function overFastest({ ms, samples }, own, rivals) {
  const rival = rivals.filter(name => ms[name]).sort((a, b) => ms[a] - ms[b])[0];
  return ms[own] && rival ? { over: median(samples[rival].map((sample, round) => sample / samples[own][round])), rival } : null;
}
