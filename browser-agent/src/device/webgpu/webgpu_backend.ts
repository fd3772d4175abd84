// WebGpuBackend: WebGPU behind the Backend contract.
import { CopyPool } from '../../core/copy_pool.ts';
import { KeptCode } from '../../core/kept_code.ts';
import type { KnownDevice } from '../../core/known_device.ts';
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import { health_flops, type WorkSetting } from '../../core/reference_work.ts';
import { arithmeticOf, memoryOf } from '../../core/signature.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, ClockChoice, Comparison, Execution, Kernel, OnStep, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { executed } from '../executed.ts';
import { openDevice } from '../../../../browser-runtime/src/device/webgpu/adapter.ts';
import { withCache } from '../processor_cache.ts';
import { TaskBuffers } from './buffers.ts';
import { memoryBehind } from './cache_ladder.ts';
import type { GpuClock } from './clock.ts';
import { chooseClock } from './clock_choice.ts';
import { describe, scoped } from '../../../../browser-runtime/src/device/webgpu/error_scopes.ts';
import { WebGpuKernel, type KernelContext } from './kernel.ts';
import { measureLaunchUs } from './launch_cost.ts';
import { openModel } from './plan_run.ts';
import { ReferenceKernel } from './reference_kernel.ts';
import type { Pipeline } from '../../../../browser-runtime/src/device/webgpu/pipeline.ts';
import { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';
import { remedies } from '../remedies.ts';

export class WebGpuBackend implements Backend {
  readonly lost: Promise<string>;
  #lost_reason: string | undefined;
  #uncaptured: string | undefined;
  readonly #copies = new CopyPool<GPUBuffer>(buffer => buffer.destroy());
  readonly #pipelines = new KeptCode<Pipeline>(() => {});   // the browser frees what nobody holds

  private constructor(
    readonly fingerprint: Fingerprint,
    private readonly device: GPUDevice,
    private readonly runtime: TensorRuntime,
    private readonly wait: GpuWait,
    private readonly clock: GpuClock,
    private readonly reference: ReferenceKernel,
  ) {
    this.lost = device.lost.then(info => (this.#lost_reason = info.message || `the device was lost (${info.reason})`));
    device.addEventListener('uncapturederror', event => {
      this.#uncaptured ??= event.error.message;
      event.preventDefault();
    });
  }

  static async probe(runtime_url: URL, choice: ClockChoice, onStep: OnStep, known?: KnownDevice): Promise<Probe> {
    const found = await openDevice();
    if (!found.ok) return { ok: false, reason: found.reason, remedy: remedies[found.lack] };
    try {
      const { device } = found;
      const runtime = await TensorRuntime.load(runtime_url);
      const wait = new GpuWait(device.queue);
      await wait.detectPolling();
      onStep('trying its clock');
      const reference = await ReferenceKernel.make(device), { clock, note } = await chooseClock(device, wait, reference, choice, known);
      const health_us = await reference.healthUs(clock);
      const measure = async (): Promise<Fingerprint> => {
        onStep('measuring its launches');
        const launch_us = await measureLaunchUs(device, wait);
        onStep('measuring its caches');
        const { cache_bytes, gb_s } = await memoryBehind(found.fingerprint, device, clock);
        return withCache({ ...found.fingerprint, ...arithmeticOf(health_flops, health_us), ...memoryOf(gb_s), ...(launch_us !== undefined && { launch_us }) }, cache_bytes);
      };
      const fingerprint = known === undefined ? await measure() : { ...found.fingerprint, ...known.signature };
      return { ok: true, backend: new WebGpuBackend(fingerprint, device, runtime, wait, clock, reference), health_us, note };
    } catch (error) {
      return { ok: false, reason: `The device does not run its first kernel: ${describe(error)}`, remedy: 'Reload the page; if it stays so, restart the browser.' };
    }
  }

  get timer(): Timer {
    return { method: this.clock.method, quantum_ns: this.clock.quantum_ns };
  }

  async prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const buffers = new TaskBuffers(this.device, this.runtime, this.#copies);
    const made = await scoped(this.device, async () => buffers.make(spec));
    if (made.ok && made.value.ok) return success(new WebGpuTask(this.#contextOf(buffers), spec.tolerance));
    buffers.dispose();
    return made.ok ? made.value as ReturnType<typeof failure> : made;
  }

  async execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { device, clock, runtime, wait } = this;
    const done = await executed(model => openModel({ device, clock, wait, poison_bits: runtime.poison_bits }, model), plan, () => this.referenceUs());
    if (this.#lost_reason !== undefined) return failure('device_lost', this.#lost_reason);
    const stray = this.#takeUncaptured();
    return stray === undefined ? done : failure('validation_error', stray);
  }

  get work(): WorkSetting {
    return this.reference.setting;
  }

  get reference_works(): number {
    return this.reference.works;
  }

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.#orLost(() => this.reference.runNs(this.clock));
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  waitNs(): Promise<Attempt<number>> {
    return this.#orLost(() => this.reference.waitNs(this.clock));
  }

  async #orLost(run: () => Promise<Attempt<number>>): Promise<Attempt<number>> {
    try {
      const ns = await run();
      return this.#lost_reason === undefined ? ns : failure('device_lost', this.#lost_reason);
    } catch (error) {
      return failure('device_lost', this.#lost_reason ?? describe(error));
    }
  }

  idle(): Promise<void> {
    return this.wait.idle();
  }

  #contextOf(buffers: TaskBuffers): KernelContext {
    return {
      device: this.device, clock: this.clock, buffers, pipelines: this.#pipelines,
      lostReason: () => this.#lost_reason,
      uncaptured: () => this.#takeUncaptured(),
    };
  }

  #takeUncaptured(): string | undefined {
    const stray = this.#uncaptured;
    this.#uncaptured = undefined;
    return stray;
  }

  dispose(): void {
    this.reference.dispose();
    this.clock.dispose();
    this.wait.dispose();
    this.device.destroy();
  }
}

class WebGpuTask implements PreparedTask {
  constructor(private readonly context: KernelContext, readonly tolerance: number) {}

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return WebGpuKernel.build(this.context, candidate);
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return (kernel as WebGpuKernel).checkOn(this.context);
  }

  dispose(): void {
    this.context.buffers.dispose();
  }
}
