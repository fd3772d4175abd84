// WebGpuKernel: the launches of one candidate on a task's buffers.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import { saidNs } from '../../core/reading.ts';
import type { Copies } from '../../core/copy_pool.ts';
import { createdMs, type KeptCode, type Lent } from '../../core/kept_code.ts';
import { rotatingBuffers, setsOf, type RotatingBuffer, type Rotation } from '../../core/rotation.ts';
import type { Binding, Candidate, Launch } from '../../generated/protocol.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import { paddedBytes } from '../../../../browser-runtime/src/device/padded_bytes.ts';
import type { Output, TaskBuffers } from './buffers.ts';
import { timePass, type GpuClock } from './clock.ts';
import { scoped } from '../../../../browser-runtime/src/device/webgpu/error_scopes.ts';
import { createPipeline, type Pipeline } from '../../../../browser-runtime/src/device/webgpu/pipeline.ts';

interface Step extends Pipeline {
  bindings: GPUBindGroup;
  grid: readonly [number, number, number];
  ahead: boolean;
  launch: Launch;
}

// The launches of one execution.
type Row = readonly Step[];

// A buffer, or a copy of one among others.
interface Place {
  buffer: GPUBuffer;
  offset: number;
  bytes: number;
}

// An execution on a set of buffers.
interface Turn {
  row: Row;
  places: readonly Place[];              // of the task's outputs
}

// What a candidate has to itself.
interface OwnBuffers {
  temps: GPUBuffer[];
  packed: Map<number, GPUBuffer>;        // by position among the task's arguments
}

export interface KernelContext {
  device: GPUDevice;
  clock: GpuClock;
  buffers: TaskBuffers;
  pipelines: KeptCode<Pipeline>;
  lostReason(): string | undefined;   // set once the device is lost
  uncaptured(): string | undefined;   // an error outside of any scope since the last call
}

export class WebGpuKernel implements Kernel {
  readonly compiles_late = true;
  readonly #context: KernelContext;
  readonly #steps: Step[];
  readonly #repeated: Step[];            // without those whose results stay what they are
  readonly #temps: GPUBuffer[];
  readonly #packed: GPUBuffer[];         // constants in layouts of their own
  readonly #candidate: Candidate;
  readonly #own: OwnBuffers;
  readonly #copies: Copies<GPUBuffer>[] = [];

  // pipelines: given back with the kernel.
  private constructor(context: KernelContext, candidate: Candidate, steps: Step[], own: OwnBuffers, private readonly pipelines: readonly Lent<Pipeline>[], readonly create_ms: number) {
    const { temps, packed } = own;
    this.#context = context;
    this.#candidate = candidate;
    this.#own = own;
    this.#steps = steps;
    this.#repeated = steps.filter(({ ahead }) => !ahead);
    this.#temps = temps;
    this.#packed = [...packed.values()];
  }

  static async build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    const started = performance.now();
    const taken = await Promise.all(candidate.launches.map(launch => context.pipelines.take(textOf(launch), () => createPipeline(context.device, launch))));
    const pipelines = taken.flatMap(one => (one.ok ? [one.value] : [])), failed = taken.find(one => !one.ok);
    if (failed === undefined) return WebGpuKernel.#bound(context, candidate, pipelines.map(({ made }) => made), pipelines, createdMs(pipelines, performance.now() - started));
    context.pipelines.giveBack(pipelines, false);
    return orLost(context, failed as ReturnType<typeof failure>);
  }

  static async #bound(context: KernelContext, candidate: Candidate, pipelines: readonly Pipeline[], lent: readonly Lent<Pipeline>[], create_ms: number): Promise<Attempt<WebGpuKernel>> {
    const own: OwnBuffers = { temps: [], packed: new Map() };
    const bound = await scoped(context.device, async () => {
      for (const bytes of candidate.temps) own.temps.push(makeTemp(context.device, bytes));
      for (const layout of candidate.layouts) {
        const made = context.buffers.packed(layout);
        if (!made.ok) throw new Error(made.message);
        own.packed.set(layout.position, made.value);
      }
      return candidate.launches.map((launch, i) => {
        const { pipeline, layout } = pipelines[i]!;
        return { pipeline, layout, bindings: bind(context, layout, launch, own), grid: launch.grid, ahead: launch.ahead === true, launch };
      });
    });
    if (bound.ok) return success(new WebGpuKernel(context, candidate, bound.value, own, lent, create_ms));
    for (const buffer of [...own.temps, ...own.packed.values()]) buffer.destroy();
    return orLost(context, bound);
  }

  check(): Promise<Attempt<CheckReport>> {
    const scratch = this.#temps.map(temp => ({ buffer: temp, offset: 0, bytes: temp.size }));
    return this.#compared(this.#places(), scratch, pass => encode(pass, this.#steps, 1));
  }

  // On the buffers of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const bound = await WebGpuKernel.#bound(context, this.#candidate, this.#steps, [], 0);
    if (!bound.ok) return bound;
    const checked = await bound.value.check();
    bound.value.dispose();
    return checked;
  }

  async time(repeats: number): Promise<Attempt<number>> {
    return this.#timed(pass => encode(pass, this.#repeated, repeats));
  }

  recheck(repeats: number): Promise<Attempt<CheckReport>> {
    return this.#compared(this.#places(), [], pass => encode(pass, this.#repeated, repeats));
  }

  async rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    const rotating = rotatingBuffers(this.#candidate, this.#context.buffers.all, rotation), sets = setsOf(rotation, rotating);
    if (sets === 1) return success(this);
    const turns = await this.#turns(rotating, sets);
    if (!turns.ok) return turns;
    let next = 0;
    const take = (repeats: number): Turn[] => Array.from({ length: repeats }, () => turns.value[next++ % sets]!);
    const encodeTurns = (taken: readonly Turn[]) => (pass: GPUComputePassEncoder) => encodeRows(pass, taken.map(({ row }) => row));
    return success({
      time: repeats => this.#timed(encodeTurns(take(repeats))),
      recheck: repeats => {
        const taken = take(repeats);
        return this.#compared(taken.at(-1)!.places, [], encodeTurns(taken));
      },
    });
  }

  // Poisons the outputs at these places and what else is given, executes, and compares the outputs.
  async #compared(places: readonly Place[], scratch: readonly Place[], encodePass: (pass: GPUComputePassEncoder) => void): Promise<Attempt<CheckReport>> {
    const { clock, buffers } = this.#context, { outputs } = buffers, targets = [...places, ...scratch];
    // Asked for once, at its largest: a later, larger poison would destroy the one that the commands before it copy from.
    const poison = buffers.poison(Math.max(...targets.map(target => target.bytes)));
    const timed = await this.#guarded(() => clock.read({
      before: encoder => {
        for (const { buffer, offset, bytes } of targets) encoder.copyBufferToBuffer(poison, 0, buffer, offset, bytes);
      },
      encodePass,
      after: encoder => {
        for (const [i, { buffer, offset, bytes }] of places.entries()) encoder.copyBufferToBuffer(buffer, offset, outputs[i]!.readback, 0, bytes);
      },
      alsoAwait: () => Promise.all(outputs.map(output => output.readback.mapAsync(GPUMapMode.READ, 0, output.readback.size))),
    }));
    if (!timed.ok) {
      for (const output of outputs) output.readback.unmap();  // a buffer that stays mapped fails every later submit
      return timed;
    }
    const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns: saidNs(timed.value) };
    for (const output of outputs) this.#compare(output, report);
    return success(report);
  }

  // Of the task's outputs: in one set of their copies, where they have copies.
  #places(copies?: ReadonlyMap<string, Copies<GPUBuffer>>, set = 0): Place[] {
    return this.#context.buffers.outputs.map(({ position, buffer }) => {
      const made = copies?.get(`arg ${position}`);
      return made === undefined ? { buffer, offset: 0, bytes: buffer.size } : { buffer: made.content, offset: set * made.stride, bytes: Math.min(buffer.size, made.stride) };
    });
  }

  // The repeated launches, once for each set of buffers; the first is the kernel's own.
  async #turns(rotating: readonly RotatingBuffer[], sets: number): Promise<Attempt<Turn[]>> {
    const { device, buffers } = this.#context, copies = new Map<string, Copies<GPUBuffer>>();
    for (const { kind, position, bytes, label } of rotating) {
      const source = bufferOf(this.#context, this.#own, kind, position), own_label = kind === 'arg' ? label : `${label} of ${this.#candidate.trial}`;
      if (source === undefined) return failure('validation_error', `${kind} ${position} does not exist`);
      const made = await buffers.copies.take({ task: buffers, label: own_label, bytes, count: sets - 1 }, stride => scoped(device, async () => buffers.copied(source, stride, sets - 1)));
      if (!made.ok) return orLost(this.#context, made);
      this.#copies.push(made.value);
      copies.set(`${kind} ${position}`, made.value);
    }
    const others = await scoped(device, async () => Array.from({ length: sets - 1 }, (_, set) => ({
      row: this.#repeated.map(step => ({ ...step, bindings: bind(this.#context, step.layout, step.launch, this.#own, copies, set) })), places: this.#places(copies, set),
    })));
    return others.ok ? success([{ row: this.#repeated, places: this.#places() }, ...others.value]) : orLost(this.#context, others);
  }

  async #timed(encodePass: (pass: GPUComputePassEncoder) => void): Promise<Attempt<number>> {
    const timed = await this.#guarded(() => timePass(this.#context.clock, encodePass));
    return timed.ok ? timed.value : timed;
  }

  #compare({ tensor, readback }: Output, report: CheckReport): void {
    tensor.compare(new Uint8Array(readback.getMappedRange(0, tensor.bytes)), report);
    readback.unmap();
  }

  // Scopes around the work; an error that came outside of them, or the loss of the device, is this kernel's too.
  async #guarded<T>(work: () => Promise<T>): Promise<Attempt<T>> {
    const done = await scoped(this.#context.device, work);
    if (!done.ok) return orLost(this.#context, done);
    const stray = this.#context.uncaptured();
    return stray === undefined ? orLost(this.#context, done) : failure('validation_error', stray);
  }

  dispose(again = false): void {
    for (const copies of this.#copies) copies.release();
    for (const buffer of [...this.#temps, ...this.#packed]) buffer.destroy();
    this.#context.pipelines.giveBack(this.pipelines, again);
  }
}

// All that a pipeline is made of.
function textOf({ bindings, code }: Launch): string {
  return `${bindings.map(({ writes }) => (writes ? 'w' : 'r')).join('')} ${code}`;
}

function encode(pass: GPUComputePassEncoder, steps: readonly Step[], repeats: number): void {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) {
    pass.setPipeline(only.pipeline);
    pass.setBindGroup(0, only.bindings);
    for (let i = 0; i < repeats; i++) pass.dispatchWorkgroups(...only.grid);
    return;
  }
  encodeRows(pass, Array.from({ length: repeats }, () => steps));
}

function encodeRows(pass: GPUComputePassEncoder, rows: readonly Row[]): void {
  for (const row of rows) {
    for (const step of row) {
      pass.setPipeline(step.pipeline);
      pass.setBindGroup(0, step.bindings);
      pass.dispatchWorkgroups(...step.grid);
    }
  }
}

function makeTemp(device: GPUDevice, bytes: number): GPUBuffer {
  return device.createBuffer({ size: paddedBytes(bytes), usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
}

function bufferOf({ buffers }: KernelContext, { temps, packed }: OwnBuffers, kind: Binding['kind'], position: number): GPUBuffer | undefined {
  return kind === 'arg' ? packed.get(position) ?? buffers.args[position] : temps[position];
}

// copies: what stands in a buffer's place; set: which one of them.
function bind(context: KernelContext, layout: GPUBindGroupLayout, launch: Launch, own: OwnBuffers, copies?: ReadonlyMap<string, Copies<GPUBuffer>>, set = 0): GPUBindGroup {
  const entries = launch.bindings.map(({ kind, position, bytes }, i) => {
    const copy = copies?.get(`${kind} ${position}`);
    if (copy !== undefined) return { binding: i, resource: { buffer: copy.content, offset: set * copy.stride, size: bytes } };
    const buffer = bufferOf(context, own, kind, position);
    if (buffer === undefined) throw new Error(`binding ${i} names ${kind} ${position}, which does not exist`);
    return { binding: i, resource: { buffer, size: bytes } };
  });
  return context.device.createBindGroup({ layout, entries });
}

function orLost<T>(context: KernelContext, attempt: Attempt<T>): Attempt<T> {
  const reason = context.lostReason();
  return reason === undefined ? attempt : failure('device_lost', reason);
}
