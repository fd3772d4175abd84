// A package on WebGPU: on a device of its own, or on the caller's.
import type { Fingerprint } from '../device/fingerprint.ts';
import type { PlanHead } from '../generated/manifest.ts';
import { describeOpened, openDevice } from '../device/webgpu/adapter.ts';
import type { Attempt } from '../device/outcome.ts';
import { submitPass, type PassWork } from '../device/webgpu/pass.ts';
import { GpuWait } from '../device/webgpu/wait.ts';
import { GpuPorts } from '../plan/gpu_ports.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';
import { WebGpuPlan } from '../plan/webgpu_plan.ts';
import { valueOf, type Device, type Opened, type Ran, type Runner } from './device.ts';
import type { GpuRun } from './gpu_values.ts';
import { PackageError } from './package_error.ts';

// plans: what may run on it, which decides what must be known of it.
export async function openWebGpu(given: GPUDevice | undefined, plans: readonly PlanHead[]): Promise<Opened> {
  const subgroups = plans.some(({ limits, features }) => limits['linearSubgroupSize'] !== undefined || features.includes('subgroup-size-control'));
  if (given !== undefined) return { ok: true, device: new WebGpuDevice(given, await describeOpened(given, { subgroups }), false) };
  const found = await openDevice({ subgroups });
  return found.ok ? { ok: true, device: new WebGpuDevice(found.device, found.fingerprint, true) } : found;
}

class WebGpuDevice implements Device {
  readonly notes = [];
  readonly takes_row_major = false;
  readonly #wait: GpuWait;
  #polling: Promise<void> | undefined;
  #lost: string | undefined;

  constructor(private readonly device: GPUDevice, readonly fingerprint: Fingerprint, private readonly is_own: boolean) {
    this.#wait = new GpuWait(device.queue);
    void device.lost.then(({ message, reason }) => { this.#lost = `the GPU's device was lost (${message || reason})`; });
  }

  lostReason(): string | undefined {
    return this.#lost;
  }

  async open(spec: PlanSpec): Promise<Runner> {
    this.#polling ??= this.#wait.detectPolling();
    const plan = valueOf(await WebGpuPlan.make({ device: this.device, wait: this.#wait }, spec));
    return new WebGpuRunner(plan, this.device, this.#wait, this.#polling);
  }

  dispose(): void {
    this.#wait.dispose();
    if (this.is_own) this.device.destroy();
  }
}

const in_flight_max = 4;         // each has memory for its outputs

class WebGpuRunner implements Runner {
  readonly #in_flight: Promise<unknown>[] = [];
  readonly #lost: Promise<never>;
  readonly #ports: GpuPorts;

  constructor(private readonly plan: WebGpuPlan, private readonly device: GPUDevice, private readonly wait: GpuWait, private readonly polling: Promise<void>) {
    this.#ports = new GpuPorts(device);
    this.#lost = device.lost.then(({ message }) => { throw new Error(`the GPU's device was lost (${message})`); });
    this.#lost.catch(() => {});  // of those who wait for something
  }

  write(upload: Upload): void {
    valueOf(this.plan.write(upload));
  }

  async compile(): Promise<void> {
    valueOf(await this.plan.compile());
    await this.polling;
  }

  async warmUp(inputs: readonly Upload[]): Promise<void> {
    await this.run(inputs);
  }

  settle(inputs: readonly Upload[]): Promise<void> {
    return this.warmUp(inputs);
  }

  async run(inputs: readonly Upload[]): Promise<Ran> {
    return { outputs: await this.#inTurn(() => this.plan.run(inputs)), inputs };
  }

  async runOnGpu({ uploads, inputs, outputs, told }: GpuRun): Promise<ArrayBuffer> {
    const pack = (encoder: GPUCommandEncoder): void => {
      for (const port of inputs) this.#ports.encode(encoder, port, 'pack', port.bound, this.plan.bufferAt(port.position));
    };
    const unpack = (encoder: GPUCommandEncoder): void => {
      for (const port of outputs ?? []) this.#ports.encode(encoder, port, 'unpack', this.plan.bufferAt(port.position), port.bound);
    };
    if (outputs === undefined) return this.#inTurn(() => this.plan.run(uploads, { submit: work => this.#submit(work), before: pack }));
    await this.#inTurn(() => this.plan.runInPlace(uploads, { submit: work => this.#submit(work), before: pack, after: unpack }));
    return told === undefined ? new ArrayBuffer(0) : Promise.race([this.#firstWord(told.bound), this.#lost]);
  }

  async #firstWord(buffer: GPUBuffer): Promise<ArrayBuffer> {
    const word = this.device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ }), encoder = this.device.createCommandEncoder();
    try {
      encoder.copyBufferToBuffer(buffer, 0, word, 0, word.size);
      this.device.queue.submit([encoder.finish()]);
      await this.wait.until(word.mapAsync(GPUMapMode.READ));
      return word.getMappedRange().slice(0);
    } finally {
      word.destroy();
    }
  }

  // What is wrong with a caller's buffer is not the plan's fault.
  async #submit(work: PassWork): Promise<void> {
    this.device.pushErrorScope('validation');
    const done = submitPass(this.device, this.wait, work), complaint = await this.device.popErrorScope();
    await done;
    if (complaint !== null) throw new PackageError(`WebGPU does not take the GPUBuffers of this run: ${complaint.message}`);
  }

  #inTurn<T>(run: () => Promise<Attempt<T>>): Promise<T> {
    const before = this.#in_flight.at(-in_flight_max);
    const ran = this.#run(run, before);
    const settled = ran.catch(() => {});
    this.#in_flight.push(settled);
    void settled.then(() => this.#in_flight.splice(this.#in_flight.indexOf(settled), 1));
    return ran;
  }

  async #run<T>(run: () => Promise<Attempt<T>>, before: Promise<unknown> | undefined): Promise<T> {
    await before;
    return valueOf(await Promise.race([run(), this.#lost]));
  }

  dispose(): void {
    this.plan.dispose();
  }
}
