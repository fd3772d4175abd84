import assert from 'node:assert/strict';
import test from 'node:test';
import { choiceOf } from './package_measures.mjs';

const plans = [{ backend: 'webgpu', made_for: 'portable', plan: 'plan-1.json' }, { backend: 'wasm', made_for: 'portable', plan: 'plan-2.json' }, { backend: 'webgl', made_for: 'portable', plan: 'plan-3.json' }];
const samples = { 'plan-1.json': [4, 8, 4], 'plan-2.json': [8, 16, 8] };

test('the choice is held against the fastest plan, round by round', () => {
  // Given WebAssembly chosen, which took twice as long as WebGPU in each round, when judged, then it is two times over; WebGPU would be the fastest itself.
  assert.equal(choiceOf(plans, { backend: 'wasm', plan: 'portable' }, samples).over_best, 2);
  assert.equal(choiceOf(plans, { backend: 'webgpu', plan: 'portable' }, samples).over_best, 1);
});

test('a chosen plan that does not run again has no ratio', () => {
  // Given a choice of which there are no samples, when judged, then that is said.
  assert.throws(() => choiceOf(plans, { backend: 'webgl', plan: 'portable' }, samples), /portable for webgl, did not run again/);
});
