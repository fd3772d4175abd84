// WebGpuPlan: a model on WebGPU. A run is one upload of the inputs and one submit that holds every launch and the copies of the outputs; several
// may be under way, in the order in which they were asked for. Where a loop asks a condition, there is a submit up to each question, and one run at a time.
import { failure, success, type Attempt } from '../device/outcome.ts';
import { paddedBytes } from '../device/padded_bytes.ts';
import { scoped } from '../device/webgpu/error_scopes.ts';
import { submitPass, type PassWork } from '../device/webgpu/pass.ts';
import { createPipeline, type Pipeline } from '../device/webgpu/pipeline.ts';
import type { GpuWait } from '../device/webgpu/wait.ts';
import { asks, checkLoops, launches_max, piecesOf } from './loops.ts';
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

export interface GpuRunOptions {
  readonly submit?: (work: PassWork) => Promise<unknown>;    // who submits, where the work is to be timed or watched
  readonly before?: (encoder: GPUCommandEncoder) => void;    // ahead of all launches
  readonly after?: (encoder: GPUCommandEncoder) => void;     // behind them
}

const word_bytes = 4;

const text = new TextDecoder();

export class WebGpuPlan {
  readonly #buffers: GPUBuffer[] = [];
  #steps: readonly Step[] = [];
  #repeated: readonly Step[] = [];          // without those whose results stay what they are
  #begun = false;
  #proven = false;                          // a run has passed under error scopes
  #readbacks: GPUBuffer[] = [];             // those that no run uses
  #word: GPUBuffer | undefined;             // where conditions come down
  #turn: Promise<unknown> = Promise.resolve();   // the end of the last run of a plan that asks

  private constructor(private readonly context: GpuContext, private readonly spec: PlanSpec) {}

  // The plan's memory.
  static async make(context: GpuContext, spec: PlanSpec): Promise<Attempt<WebGpuPlan>> {
    const plan = new WebGpuPlan(context, spec), fits = checkLoops(spec);
    if (!fits.ok) return fits;
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

  // The outputs, one after the other.
  run(inputs: readonly Upload[], options: GpuRunOptions = {}): Promise<Attempt<ArrayBuffer>> {
    return this.#inTurn(async () => {
      if (this.#proven) return success(await this.#run(inputs, options));
      const ran = await scoped(this.context.device, () => this.#run(inputs, options));
      this.#proven = ran.ok;
      return ran;
    });
  }

  // Without reading the outputs: `after` takes them from the plan's buffers.
  runInPlace(inputs: readonly Upload[], options: GpuRunOptions): Promise<Attempt<void>> {
    return this.#inTurn(async () => {
      for (const input of inputs) {
        const written = this.#put(input);
        if (!written.ok) return written;
      }
      await this.#runPieces(options, {});
      return success(undefined);
    });
  }

  // This launch so many times.
  encodeLaunch(pass: GPUComputePassEncoder, launch: number, times: number): void {
    const steps = this.#steps.slice(launch, launch + 1);
    for (let i = 0; i < times; i++) encode(pass, steps);
  }

  // Between the submits of one run no other may come.
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (!asks(this.spec)) return run();
    const ran = this.#turn.then(run);
    this.#turn = ran.catch(() => {});
    return ran;
  }

  async #run(inputs: readonly Upload[], options: GpuRunOptions): Promise<ArrayBuffer> {
    for (const input of inputs) {
      const written = this.#put(input);
      if (!written.ok) throw new Error(written.message);
    }
    const total = outputBytes(this.spec), readback = this.#readbacks.pop() ?? this.#makeReadback(total);
    try {
      await this.#runPieces({ ...options, after: encoder => this.#copyOutputs(encoder, readback) }, { alsoAwait: () => readback.mapAsync(GPUMapMode.READ) });
      const outputs = readback.getMappedRange().slice(0, total);
      readback.unmap();
      this.#readbacks.push(readback);
      return outputs;
    } catch (error) {
      readback.destroy();
      throw error;
    }
  }

  // All launches; the last submit also awaits what `last` says.
  async #runPieces({ submit = work => submitPass(this.context.device, this.context.wait, work), before, after }: GpuRunOptions, last: Pick<PassWork, 'alsoAwait'>): Promise<void> {
    const steps = this.#begun ? this.#repeated : this.#steps, begun = this.#begun;
    this.#begun = true;
    if (this.spec.loops.length === 0) return void await submit({ encodePass: pass => encode(pass, steps), before, after, ...last });
    let open: Step[] = [], ahead = before;
    const flush = async (more: Pick<PassWork, 'after' | 'alsoAwait'> = {}): Promise<void> => {
      const now = open, first = ahead;
      [open, ahead] = [[], undefined];
      await submit({ encodePass: pass => encode(pass, now), before: first, ...more });
    };
    const pieces = piecesOf(this.spec);
    for (let next = pieces.next(); next.done !== true;) {
      if ('condition' in next.value) {
        const { condition } = next.value, word = this.#word ??= this.#makeReadback(word_bytes);
        await flush({ after: encoder => encoder.copyBufferToBuffer(this.bufferAt(condition), 0, word, 0, word_bytes), alsoAwait: () => word.mapAsync(GPUMapMode.READ) });
        const holds = new Uint32Array(word.getMappedRange())[0] !== 0;
        word.unmap();
        next = pieces.next(holds);
      } else {
        open.push(...this.#steps.slice(next.value.first, next.value.last).filter(step => !(begun && step.ahead)));
        if (open.length >= launches_max) await flush();
        next = pieces.next(false);
      }
    }
    await flush({ after, ...last });
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
    this.#word?.destroy();
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
