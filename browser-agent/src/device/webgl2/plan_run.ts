// Measures a whole model: the runtime's executor (browser-runtime/src/plan/webgl2_plan.ts) on poisoned textures, timed by the clock.
import { success, type Attempt } from '../../core/outcome.ts';
import { credibleNs, saidNs } from '../../core/reading.ts';
import type { ModelSpec } from '../backend.ts';
import type { GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { WebGlPlan } from '../../../../browser-runtime/src/plan/webgl2_plan.ts';
import { whollyWritten, type OpenModel, type Run } from '../timed_runs.ts';
import type { GlClock } from './clock.ts';

export interface PlanContext {
  device: GlDevice;
  clock: GlClock;
  poison_bits: number;
}

export async function openModel(context: PlanContext, plan: ModelSpec): Promise<Attempt<OpenModel>> {
  const model = WebGlPlan.make(context.device, plan);
  if (!model.ok) return model;
  const compiled = await model.value.compile();
  const filled = compiled.ok ? context.device.checkedNow(() => fill(context, plan, model.value)) : compiled;
  if (filled.ok) return success(new PlanRun(context, plan, model.value));
  model.value.dispose();
  return filled;
}

// What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
function fill({ poison_bits }: PlanContext, plan: ModelSpec, model: WebGlPlan): void {
  model.settle();
  model.poison(poison_bits, new Set(plan.constants.map(({ buffer }) => buffer)));
  for (const constant of plan.constants) model.write(constant, poison_bits);
}

class PlanRun implements OpenModel {
  constructor(private readonly context: PlanContext, private readonly plan: ModelSpec, private readonly model: WebGlPlan) {}

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
    const { device, clock, poison_bits } = this.context, started = performance.now();
    let kernel_ns = 0, run_ms = 0;
    const ran = await device.checked(() => this.model.run(this.plan.inputs, {
      poison_bits,
      doWork: async ({ draw, finish }) => {
        kernel_ns += saidNs(await clock.read({
          draw,
          finish: async () => {
            await finish();
            run_ms = performance.now() - started;
          },
        }));
      },
    }));
    return ran.ok ? success({ outputs: ran.value, run_ms, kernel_ms: kernel_ns / 1e6 }) : ran;
  }

  async timeLaunch(launch: number, times: number): Promise<Attempt<number>> {
    const timed = await this.context.device.checked(() => credibleNs(() => this.context.clock.read(this.model.launchWork(launch, times))));
    return timed.ok ? timed.value : timed;
  }

  dispose(): void {
    this.model.dispose();
  }
}
