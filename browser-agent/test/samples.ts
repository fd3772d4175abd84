// Values of the protocol's types for tests.
import type { Candidate, Fingerprint, Launch, Measure, MeasurePolicy } from '../src/generated/protocol.ts';

export const fingerprint: Fingerprint = {
  target: 'webgpu', vendor: 'v', architecture: 'a', device: '', description: '', backend: '', browser: 'chromium', browser_major: 1, os: 'linux',
  features: [], limits: {},
};

export const launch: Launch = { code: '', grid: [1, 1, 1], threads: [1, 1, 1], bindings: [], module_bytes: 0, scratch_bytes: 0 };

export const policy: MeasurePolicy = { samples: 3, sample_ms_min: 3, quanta_min: 50, race_factor: 1.5, cap_ms: 4000, in_turns: false };

export function candidate(trial: number, extra: Partial<Candidate> = {}): Candidate {
  return { trial, attempt: 0, best_so_far_us: 0, predicted_us: 0, temps: [], launches: [launch], layouts: [], ...extra };
}

export function batch(number: number, trials: readonly number[], extra: Partial<Measure> = {}): Measure {
  return { kind: 'measure', batch: number, fence: 1, task: 't', policy, candidates: trials.map(trial => candidate(trial)), ...extra };
}
