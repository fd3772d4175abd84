// A candidate on its way through the device, and its result while it is being made.
import type { Modules } from './measure_modules.ts';
import type { OutcomeName } from './outcome.ts';
import type { Candidate, CandidateResult, MeasurePolicy } from '../generated/protocol.ts';

export type Result = { -readonly [field in keyof CandidateResult]: CandidateResult[field] };

// One candidate with what its batch says of it.
export interface WorkItem {
  batch: number;
  fence: number;
  task: string;
  policy: MeasurePolicy;
  candidate: Candidate;
  modules: Modules;
}

export function emptyResult(item: WorkItem, outcome: OutcomeName, message: string): Result {
  return {
    kind: 'result', batch: item.batch, trial: item.candidate.trial, attempt: item.candidate.attempt, fence: item.fence, outcome, message,
    samples_us: [], latency_us_median: 0, method: '', clock_resolution_ns: 0, repeats: 0, create_ms: 0, device_ms: 0, max_error: 0,
    reference_us: 0,
  };
}

// Gives the result its outcome; what is unstable keeps its samples.
export function fail(result: Result, why: { outcome: OutcomeName; message: string }): void {
  result.outcome = why.outcome;
  result.message = why.message;
  if (why.outcome === 'unstable') return;
  result.samples_us = [];
  result.latency_us_median = 0;
}
