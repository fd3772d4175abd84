// What a device's results say of the states of the caches that they were asked for.
import assert from 'node:assert/strict';
import type { Candidate, CandidateResult, MeasurePolicy } from '../src/generated/protocol.ts';
import { policy } from './samples.ts';

// measure: one right kernel, which has a constant. Times are not compared: a busy machine makes any of them the longer one.
export async function expectEachState(measure: (policy: MeasurePolicy) => Promise<readonly CandidateResult[]>): Promise<void> {
  for (const cache of ['hot', 'cold', 'model'] as const) {
    const [result] = await measure({ ...policy, cache, model_bytes: 8 << 20, both_caches: true });
    assert.equal(result?.outcome, 'ok', result?.message);
    assert.equal(result.cache ?? 'hot', cache);
    assert.ok(result.latency_us_median > 0 && (result.other_us ?? 0) > 0, `${result.latency_us_median} µs ${cache}, ${result.other_us} µs in the other state`);
  }
}

// kernels: right ones of one task that bind its arguments in different ways: each must find its own in copies, which it shares with others, and find it there again.
export async function expectOwnCopies(kernels: readonly Partial<Candidate>[], measure: (kernels: readonly Partial<Candidate>[], policy: MeasurePolicy) => Promise<readonly CandidateResult[]>): Promise<void> {
  for (const cache of ['cold', 'model', 'cold'] as const) {
    const results = await measure(kernels, { ...policy, cache, model_bytes: 1 << 20 });
    // On a busy machine the times of one may be no use.
    assert.deepEqual(results.map(r => `${r.outcome === 'unstable' ? 'ok' : r.outcome} ${r.cache}`), kernels.map(() => `ok ${cache}`), results.map(r => r.message).join('\n'));
  }
}
