// Runs a whole model: its pipelines and buffers once, then each run as one upload of the inputs and one submit that holds every launch
// and the copies of the outputs.
import type { Attempt } from '../../core/outcome.ts';
import type { Execution, PlanSpec } from '../backend.ts';
import { paddedBytes } from '../task_tensor.ts';
import { timedRuns, whollyWritten, type Run, type RunnableModel } from '../timed_runs.ts';
import type { GpuClock } from './clock.ts';
import { scoped } from './error_scopes.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { GpuWait } from './wait.ts';

export interface PlanContext {
  device: GPUDevice;
  clock: GpuClock;
  wait: GpuWait;
  poison_bits: number;
}

const text = new TextDecoder();

interface Step {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
  grid: readonly [number, number, number];
  ahead: boolean;
}

export async function executePlan(context: PlanContext, plan: PlanSpec): Promise<Attempt<Execution>> {
  const started = performance.now();
  const pipelines: Pipeline[] = [];
  for (const made of await Promise.all(plan.kernels.map(({ code, bindings }) => createPipeline(context.device, { code: text.decode(code), bindings })))) {
    if (!made.ok) return made;
    pipelines.push(made.value);
  }
  const memory = new PlanMemory(context, plan);
  try {
    const steps = await scoped(context.device, async () => {
      memory.make();
      return plan.launches.map(launch => stepOf(context.device, memory, pipelines, launch));
    });
    if (!steps.ok) return steps;
    await context.wait.idle();
    const create_ms = performance.now() - started;
    return await timedRuns(new PlanRun(context, plan, memory, steps.value), plan, create_ms);
  } finally {
    memory.dispose();
  }
}

// The plan's buffers. What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
class PlanMemory {
  readonly buffers: GPUBuffer[] = [];
  readback!: GPUBuffer;
  readonly #context: PlanContext;
  readonly #plan: PlanSpec;

  constructor(context: PlanContext, plan: PlanSpec) {
    this.#context = context;
    this.#plan = plan;
  }

  // Call within error scopes: createBuffer reports lack of memory there.
  make(): void {
    const { device, poison_bits } = this.#context;
    const constants = new Map(this.#plan.constants.map(({ buffer, bytes }) => [buffer, bytes]));
    for (const [position, bytes] of this.#plan.buffers.entries()) {
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
      const buffer = device.createBuffer({ size: paddedBytes(bytes), usage, mappedAtCreation: true });
      const constant = constants.get(position);
      if (constant === undefined) new Uint32Array(buffer.getMappedRange()).fill(poison_bits);
      else new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(constant));
      buffer.unmap();
      this.buffers.push(buffer);
    }
    const total = this.#plan.outputs.reduce((sum, output) => sum + output.bytes, 0);
    this.readback = device.createBuffer({ size: paddedBytes(total), usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  }

  at(position: number): GPUBuffer {
    const buffer = this.buffers[position];
    if (buffer === undefined) throw new Error(`the plan names buffer ${position}, which does not exist`);
    return buffer;
  }

  dispose(): void {
    for (const buffer of this.buffers) buffer.destroy();
    (this.readback as GPUBuffer | undefined)?.destroy();
  }
}

class PlanRun implements RunnableModel {
  constructor(
    private readonly context: PlanContext,
    private readonly plan: PlanSpec,
    private readonly memory: PlanMemory,
    private readonly steps: readonly Step[],
    private readonly repeated = steps.filter(({ ahead }) => !ahead),
  ) {}

  get has_device_clock(): boolean {
    return this.context.clock.method === 'timestamp';
  }

  async first(): Promise<Attempt<Run>> {
    return whollyWritten(await scoped(this.context.device, () => this.#run(this.steps)), this.context.poison_bits);
  }

  once(): Promise<Attempt<Run>> {
    return scoped(this.context.device, () => this.#run(this.repeated));
  }

  timeLaunch(launch: number, times: number): Promise<Attempt<number>> {
    const steps = this.steps.slice(launch, launch + 1);
    return scoped(this.context.device, () => this.context.clock.time({
      encodePass: pass => encode(pass, Array.from({ length: times }, () => steps).flat()),
    }));
  }

  async #run(steps: readonly Step[]): Promise<Run> {
    const { device, clock } = this.context;
    const started = performance.now();
    for (const { buffer, bytes } of this.plan.inputs) device.queue.writeBuffer(this.memory.at(buffer), 0, bytes);
    const kernel_ns = await clock.time({
      encodePass: pass => encode(pass, steps),
      after: encoder => this.#copyOutputs(encoder),
      alsoAwait: () => this.memory.readback.mapAsync(GPUMapMode.READ),
    });
    const total = this.plan.outputs.reduce((sum, output) => sum + output.bytes, 0);
    const outputs = this.memory.readback.getMappedRange().slice(0, total);
    this.memory.readback.unmap();
    return { outputs, run_ms: performance.now() - started, kernel_ms: kernel_ns / 1e6 };
  }

  #copyOutputs(encoder: GPUCommandEncoder): void {
    let at = 0;
    for (const { buffer, bytes } of this.plan.outputs) {
      if (bytes > 0) encoder.copyBufferToBuffer(this.memory.at(buffer), 0, this.memory.readback, at, bytes);
      at += bytes;
    }
  }
}

function encode(pass: GPUComputePassEncoder, steps: readonly Step[]): void {
  let current: GPUComputePipeline | undefined;
  for (const step of steps) {
    if (step.pipeline !== current) pass.setPipeline(current = step.pipeline);
    pass.setBindGroup(0, step.bindings);
    pass.dispatchWorkgroups(...step.grid);
  }
}

function stepOf(device: GPUDevice, memory: PlanMemory, pipelines: readonly Pipeline[], launch: PlanSpec['launches'][number]): Step {
  const made = pipelines[launch.kernel];
  if (made === undefined) throw new Error(`a launch names kernel ${launch.kernel}, which does not exist`);
  const entries = launch.buffers.map((buffer, i) => ({ binding: i, resource: { buffer: memory.at(buffer), size: launch.binding_bytes[i] ?? 0 } }));
  return { pipeline: made.pipeline, bindings: device.createBindGroup({ layout: made.layout, entries }), grid: launch.grid, ahead: launch.ahead === true };
}
