// WebGpuPlan: a model on WebGPU. A run is one upload of the inputs and one submit that holds every launch and the copies of the outputs; several
// may be under way, in the order in which they were asked for.
import { failure, success, type Attempt } from '../device/outcome.ts';
import { paddedBytes } from '../device/padded_bytes.ts';
import { scoped } from '../device/webgpu/error_scopes.ts';
import { submitPass, type PassWork } from '../device/webgpu/pass.ts';
import { createPipeline, type Pipeline } from '../device/webgpu/pipeline.ts';
import type { GpuWait } from '../device/webgpu/wait.ts';
import { bytesOf, outputBytes, type PlanSpec, type Upload } from './plan.ts';

export interface GpuContext {
  readonly device: GPUDevice;
  readonly wait: GpuWait;
}

interface Step {
  pipeline: GPUComputePipeline;
  bindings: GPUBindGroup;
  grid: readonly [number, number, number];
  ahead: boolean;
}

export type SubmitWork = (work: PassWork) => Promise<unknown>;

const text = new TextDecoder();

export class WebGpuPlan {
  readonly #buffers: GPUBuffer[] = [];
  #steps: readonly Step[] = [];
  #repeated: readonly Step[] = [];          // without those whose results stay what they are
  #begun = false;
  #proven = false;                          // a run has passed under error scopes
  #readbacks: GPUBuffer[] = [];             // those that no run uses

  private constructor(private readonly context: GpuContext, private readonly spec: PlanSpec) {}

  // The plan's memory.
  static async make(context: GpuContext, spec: PlanSpec): Promise<Attempt<WebGpuPlan>> {
    const plan = new WebGpuPlan(context, spec);
    const made = await scoped(context.device, async () => {
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
      for (const bytes of spec.buffers) plan.#buffers.push(context.device.createBuffer({ size: paddedBytes(bytes), usage }));
    });
    if (made.ok) return success(plan);
    plan.dispose();
    return made;
  }

  // Its code. Constants may be written meanwhile.
  async compile(): Promise<Attempt<void>> {
    const { device } = this.context, pipelines: Pipeline[] = [];
    for (const made of await Promise.all(this.spec.kernels.map(({ code, bindings }) => createPipeline(device, { code: text.decode(code), bindings })))) {
      if (!made.ok) return made;
      pipelines.push(made.value);
    }
    const bound = await scoped(device, async () => this.spec.launches.map(launch => this.#stepOf(pipelines, launch)));
    if (!bound.ok) return bound;
    this.#steps = bound.value;
    this.#repeated = bound.value.filter(({ ahead }) => !ahead);
    return success(undefined);
  }

  poison(bits: number, except: ReadonlySet<number>): void {
    for (const [position, buffer] of this.#buffers.entries()) {
      if (!except.has(position)) this.context.device.queue.writeBuffer(buffer, 0, new Uint32Array(buffer.size / 4).fill(bits));
    }
  }

  // What was computed ahead of all runs is computed again.
  write(upload: Upload): Attempt<void> {
    this.#begun = false;
    return this.#put(upload);
  }

  #put(upload: Upload): Attempt<void> {
    const buffer = this.#buffers[upload.buffer], bytes = bytesOf(upload), { at = 0 } = upload;
    if (buffer === undefined) return failure('validation_error', `the plan names buffer ${upload.buffer}, which does not exist`);
    if (at + bytes.byteLength > buffer.size) return failure('validation_error', `the plan puts ${at + bytes.byteLength} bytes into buffer ${upload.buffer} of ${buffer.size}`);
    this.context.device.queue.writeBuffer(buffer, at, wholeWords(bytes));
    return success(undefined);
  }

  // The outputs, one after the other. submit: who submits, where the work is to be timed.
  async run(inputs: readonly Upload[], submit: SubmitWork = work => submitPass(this.context.device, this.context.wait, work)): Promise<Attempt<ArrayBuffer>> {
    const steps = this.#begun ? this.#repeated : this.#steps;
    this.#begun = true;
    if (this.#proven) return success(await this.#run(inputs, steps, submit));
    const ran = await scoped(this.context.device, () => this.#run(inputs, steps, submit));
    this.#proven = ran.ok;
    return ran;
  }

  // Without reading the outputs: who submits takes them from the plan's buffers.
  async runInPlace(inputs: readonly Upload[], submit: SubmitWork): Promise<Attempt<void>> {
    for (const input of inputs) {
      const written = this.#put(input);
      if (!written.ok) return written;
    }
    const steps = this.#begun ? this.#repeated : this.#steps;
    this.#begun = true;
    await submit({ encodePass: pass => encode(pass, steps) });
    return success(undefined);
  }

  // This launch so many times.
  encodeLaunch(pass: GPUComputePassEncoder, launch: number, times: number): void {
    const steps = this.#steps.slice(launch, launch + 1);
    for (let i = 0; i < times; i++) encode(pass, steps);
  }

  async #run(inputs: readonly Upload[], steps: readonly Step[], submit: SubmitWork): Promise<ArrayBuffer> {
    for (const input of inputs) {
      const written = this.#put(input);
      if (!written.ok) throw new Error(written.message);
    }
    const total = outputBytes(this.spec), readback = this.#readbacks.pop() ?? this.#makeReadback(total);
    try {
      await submit({
        encodePass: pass => encode(pass, steps),
        after: encoder => this.#copyOutputs(encoder, readback),
        alsoAwait: () => readback.mapAsync(GPUMapMode.READ),
      });
      const outputs = readback.getMappedRange().slice(0, total);
      readback.unmap();
      this.#readbacks.push(readback);
      return outputs;
    } catch (error) {
      readback.destroy();
      throw error;
    }
  }

  #makeReadback(bytes: number): GPUBuffer {
    return this.context.device.createBuffer({ size: paddedBytes(bytes), usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  }

  #copyOutputs(encoder: GPUCommandEncoder, readback: GPUBuffer): void {
    let at = 0;
    for (const { buffer, bytes } of this.spec.outputs) {
      if (bytes > 0) encoder.copyBufferToBuffer(this.bufferAt(buffer), 0, readback, at, bytes);
      at += bytes;
    }
  }

  #stepOf(pipelines: readonly Pipeline[], launch: PlanSpec['launches'][number]): Step {
    const made = pipelines[launch.kernel];
    if (made === undefined) throw new Error(`a launch names kernel ${launch.kernel}, which does not exist`);
    const entries = launch.buffers.map((buffer, i) => ({ binding: i, resource: { buffer: this.bufferAt(buffer), size: launch.binding_bytes[i] ?? 0 } }));
    return { pipeline: made.pipeline, bindings: this.context.device.createBindGroup({ layout: made.layout, entries }), grid: launch.grid, ahead: launch.ahead === true };
  }

  bufferAt(position: number): GPUBuffer {
    const buffer = this.#buffers[position];
    if (buffer === undefined) throw new Error(`the plan names buffer ${position}, which does not exist`);
    return buffer;
  }

  dispose(): void {
    for (const buffer of [...this.#buffers, ...this.#readbacks]) buffer.destroy();
    this.#readbacks = [];
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

// Buffers are written in words of four bytes.
function wholeWords(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength % 4 === 0) return bytes;
  const padded = new Uint8Array(Math.ceil(bytes.byteLength / 4) * 4);
  padded.set(bytes);
  return padded;
}
