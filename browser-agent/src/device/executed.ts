// What an `execute` frame asks for, whatever runs the models: one is opened and timed, or two are, in turns.
import { failure, success, type Attempt } from '../core/outcome.ts';
import type { Backend, Execution, ModelSpec, PlanSpec, Rival } from './backend.ts';
import { pairedRuns } from './paired_runs.ts';
import { timedRuns, type OpenModel } from './timed_runs.ts';

// Its memory and its kernels; fails as Backend.execute.
export type Open = (model: ModelSpec) => Promise<Attempt<OpenModel>>;

export async function executed(open: Open, plan: PlanSpec, referenceUs: Backend['referenceUs']): Promise<Attempt<Execution>> {
  const started = performance.now(), model = await open(plan);
  if (!model.ok) return model;
  try {
    const create_ms = performance.now() - started;
    return plan.rival === undefined ? await timedRuns(model.value, plan, create_ms) : await againstRival(open, model.value, plan.rival, referenceUs, create_ms);
  } finally {
    model.value.dispose();
  }
}

async function againstRival(open: Open, model: OpenModel, rival: Rival, referenceUs: Backend['referenceUs'], create_ms: number): Promise<Attempt<Execution>> {
  const other = await open(rival.model);
  if (!other.ok) return failure(other.outcome, `the new build: ${other.message}`);
  try {
    const first = await model.first();
    if (!first.ok) return first;
    const rivals = await other.value.first();
    if (!rivals.ok) return failure(rivals.outcome, `the new build: ${rivals.message}`);
    const quads = await pairedRuns([model, other.value], rival, referenceUs);
    if (!quads.ok) return quads;
    const outputs = joined(first.value.outputs, rivals.value.outputs);
    return success({ outputs, create_ms, first_ms: first.value.run_ms, run_ms: [], kernel_ms: [], quads: quads.value });
  } finally {
    other.value.dispose();
  }
}

function joined(first: ArrayBuffer, second: ArrayBuffer): ArrayBuffer {
  const all = new Uint8Array(first.byteLength + second.byteLength);
  all.set(new Uint8Array(first));
  all.set(new Uint8Array(second), first.byteLength);
  return all.buffer;
}
