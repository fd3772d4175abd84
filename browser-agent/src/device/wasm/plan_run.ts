// Measures a whole model: the runtime's executor (browser-runtime/src/plan/wasm_plan.ts) on poisoned memory, turns of the event loop between.
import { failure, success, type Attempt } from '../../core/outcome.ts';
import type { ModelSpec } from '../backend.ts';
import type { EventTurn } from '../../../../browser-runtime/src/device/event_turn.ts';
import type { KernelMemory } from '../../../../browser-runtime/src/device/wasm/kernel_memory.ts';
import type { Team } from '../../../../browser-runtime/src/device/wasm/team.ts';
import { cold_calls, WasmPlan } from '../../../../browser-runtime/src/plan/wasm_plan.ts';
import { whollyWritten, type OpenModel, type Run } from '../timed_runs.ts';

export interface PlanContext {
  memory: KernelMemory;          // begins as poison
  team: Team;
  turn: EventTurn;
  quantum_ns: number;
  poison_bits: number;
}

export async function openModel(context: PlanContext, plan: ModelSpec): Promise<Attempt<OpenModel>> {
  const model = await WasmPlan.open(context, plan);
  if (!model.ok) return model;
  for (const constant of plan.constants) {
    const written = model.value.write(constant);
    if (written.ok) continue;
    model.value.dispose();
    return written;
  }
  return success(runnable(context, plan, model.value));
}

// What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
function runnable({ turn, poison_bits, quantum_ns }: PlanContext, plan: ModelSpec, model: WasmPlan): OpenModel {
  const run = (calls_min: number): Attempt<Run> => {
    const started = performance.now(), ran = model.run(plan.inputs, calls_min);
    return ran.ok ? success({ ...ran.value, run_ms: performance.now() - started }) : ran;
  };
  return {
    has_device_clock: true,
    first: async () => {
      const first = run(cold_calls), finding = model.findings();
      return first.ok && finding !== '' ? failure('wrong_output', `a kernel ${finding}`) : whollyWritten(first, poison_bits);
    },
    settle: async first => {
      const warm = await model.warmUp(first.kernel_ms, quantum_ns, async () => {});
      return warm.ok ? model.settleThreads(quantum_ns) : warm;
    },
    once: async () => {
      await turn.take();
      return run(1);
    },
    timeLaunch: async (launch, times) => {
      await turn.take();
      return model.launchNs(launch, times);
    },
    dispose: () => model.dispose(),
  };
}
