// Measures a whole model: the runtime's executor (browser-runtime/src/plan/webgpu_plan.ts) on poisoned buffers, timed by the clock.
import { success, type Attempt } from '../../core/outcome.ts';
import { saidNs } from '../../core/reading.ts';
import type { ModelSpec } from '../backend.ts';
import { scoped } from '../../../../browser-runtime/src/device/webgpu/error_scopes.ts';
import type { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';
import { WebGpuPlan } from '../../../../browser-runtime/src/plan/webgpu_plan.ts';
import { whollyWritten, type OpenModel, type Run } from '../timed_runs.ts';
import { timePass, type GpuClock } from './clock.ts';

export interface PlanContext {
  device: GPUDevice;
  clock: GpuClock;
  wait: GpuWait;
  poison_bits: number;
}

export async function openModel(context: PlanContext, plan: ModelSpec): Promise<Attempt<OpenModel>> {
  const model = await WebGpuPlan.make(context, plan);
  if (!model.ok) return model;
  const ready = await prepare(context, plan, model.value);
  if (!ready.ok) {
    model.value.dispose();
    return ready;
  }
  await context.wait.idle();
  return success(new PlanRun(context, plan, model.value));
}

// What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
async function prepare({ device, poison_bits }: PlanContext, plan: ModelSpec, model: WebGpuPlan): Promise<Attempt<void>> {
  const compiled = await model.compile();
  if (!compiled.ok) return compiled;
  return scoped(device, async () => {
    model.poison(poison_bits, new Set(plan.constants.map(({ buffer }) => buffer)));
    for (const constant of plan.constants) {
      const written = model.write(constant);
      if (!written.ok) throw new Error(written.message);
    }
  });
}

class PlanRun implements OpenModel {
  constructor(private readonly context: PlanContext, private readonly plan: ModelSpec, private readonly model: WebGpuPlan) {}

  get has_device_clock(): boolean {
    return this.context.clock.method === 'timestamp';
  }

  get step_ns(): number {
    return this.context.clock.quantum_ns;
  }

  async first(): Promise<Attempt<Run>> {
    return whollyWritten(await this.once(), this.context.poison_bits);
  }

  async once(): Promise<Attempt<Run>> {
    const ran = await scoped(this.context.device, () => this.#once());
    return ran.ok ? ran.value : ran;
  }

  async #once(): Promise<Attempt<Run>> {
    const started = performance.now();
    let kernel_ns = 0;
    const outputs = await this.model.run(this.plan.inputs, { submit: async work => { kernel_ns += saidNs(await this.context.clock.read(work)); } });
    return outputs.ok ? success({ outputs: outputs.value, run_ms: performance.now() - started, kernel_ms: kernel_ns / 1e6 }) : outputs;
  }

  async timeLaunch(launch: number, times: number): Promise<Attempt<number>> {
    const timed = await scoped(this.context.device, () => timePass(this.context.clock, pass => this.model.encodeLaunch(pass, launch, times)));
    return timed.ok ? timed.value : timed;
  }

  dispose(): void {
    this.model.dispose();
  }
}
