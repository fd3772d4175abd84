// What a device's results say of a kernel that is right when it runs for the first time, and wrong from then on.
import assert from 'node:assert/strict';
import type { CandidateResult, MeasurePolicy } from '../src/generated/protocol.ts';
import { policy } from './samples.ts';

// measure: one such kernel, whose first element is wrong. On its own buffers, and on copies of them.
export async function expectWrongLater(measure: (policy: MeasurePolicy) => Promise<readonly CandidateResult[]>): Promise<void> {
  for (const cache of ['hot', 'cold'] as const) {
    const [result] = await measure({ ...policy, cache });
    assert.equal(result?.outcome, 'wrong_output', result?.message);
    assert.match(result.message, /right before the timed runs .* worst at element 0 of c/);
    assert.deepEqual([result.samples_us, result.latency_us_median], [[], 0]);
  }
}
