// WebGlKernel: the launches of one candidate on a task's textures.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import { credibleNs, saidNs } from '../../core/reading.ts';
import { createdMs, type KeptCode, type Lent } from '../../core/kept_code.ts';
import type { Binding, Candidate, Launch, Texture } from '../../generated/protocol.ts';
import type { Rotation } from '../../core/rotation.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import { sameShape } from '../texture_shape.ts';
import type { Argument, TaskArguments } from './arguments.ts';
import type { GlClock, TimedWork } from './clock.ts';
import { TextureTurns, type BoundStep, type Turn } from './texture_turns.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { createProgram } from '../../../../browser-runtime/src/device/webgl2/program.ts';
import { disposeStep, drawAll, makeStep, samplersOf, settle } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

export interface KernelContext {
  device: GlDevice;
  clock: GlClock;
  task: TaskArguments;
  outputs: readonly number[];   // their positions among the task's arguments
  poison_bits: number;
  programs: KeptCode<WebGLProgram>;
}

// What a candidate holds.
class Held {
  readonly steps: BoundStep[] = [];
  readonly temps = new Map<number, GpuTexture>();
  readonly args = new Map<number, Argument>();

  constructor(private readonly context: KernelContext, readonly candidate: Candidate) {}

  // Throws WorkError for what does not exist or does not fit together.
  textureOf({ kind, position, texture: shape }: Binding): GpuTexture {
    if (shape === undefined) throw new WorkError('validation_error', `a binding of ${kind} ${position} names no texture; kernels of WebGL need one`);
    const texture = kind === 'temp' ? this.#temp(position, shape) : this.#arg(position, shape);
    if (!sameShape(texture.shape, shape)) throw new WorkError('validation_error', `${kind} ${position} is bound as two textures that differ`);
    return texture;
  }

  #temp(position: number, shape: Texture): GpuTexture {
    const texture = this.temps.get(position) ?? GpuTexture.make(this.context.device.gl, shape);
    this.temps.set(position, texture);
    return texture;
  }

  #arg(position: number, shape: Texture): GpuTexture {
    const arg = this.args.get(position) ?? this.context.task.take(position, shape, this.candidate.layouts.find(layout => layout.position === position));
    this.args.set(position, arg);
    return arg.texture;
  }

  dispose(): void {
    const { device: { gl }, task } = this.context;
    for (const { step } of this.steps) disposeStep(gl, step);
    for (const texture of this.temps.values()) texture.dispose();
    for (const arg of this.args.values()) task.release(arg);
  }
}

export class WebGlKernel implements Kernel {
  readonly compiles_late = true;
  readonly #itself: Turn;
  readonly #rotations: TextureTurns[] = [];

  // programs: given back with the kernel.
  private constructor(private readonly context: KernelContext, private readonly held: Held, private readonly programs: readonly Lent<WebGLProgram>[], readonly create_ms: number) {
    this.#itself = { steps: held.steps.map(({ step }) => step), standIn: own => own };
  }

  static async build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    const started = performance.now();
    const taken = await Promise.all(candidate.launches.map(launch => take(context, launch)));
    const programs = taken.flatMap(one => (one.ok ? [one.value] : [])), create_ms = createdMs(programs, performance.now() - started);
    const bound = taken.find(one => !one.ok) ?? bind(context, candidate, programs.map(({ made }) => made));
    if (bound.ok && bound.value instanceof Held) return success(new WebGlKernel(context, bound.value, programs, create_ms));
    context.programs.giveBack(programs, false);
    return bound as ReturnType<typeof failure>;
  }

  check(): Promise<Attempt<CheckReport>> {
    const { device: { gl }, poison_bits } = this.context;
    return this.#compared(this.#work(1), this.#itself, () => {
      settle(gl, this.#itself.steps);
      for (const texture of this.held.temps.values()) texture.poison(poison_bits);
    });
  }

  // On the textures of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const held = bind(context, this.held.candidate, this.programs.map(({ made }) => made));
    if (!held.ok) return held;
    const other = new WebGlKernel(context, held.value, [], 0), checked = await other.check();
    other.dispose();
    return checked;
  }

  recheck(repeats: number): Promise<Attempt<CheckReport>> {
    return this.#compared(this.#work(repeats), this.#itself);
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.#timed(this.#work(repeats));
  }

  async rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    const { held, context: { device, task } } = this;
    const textureOf = (kind: Binding['kind'], position: number): GpuTexture | undefined => (kind === 'temp' ? held.temps.get(position) : held.args.get(position)?.texture);
    const made = await TextureTurns.make({ device, task, buffers: task.all, copies: task.copies, candidate: held.candidate, steps: held.steps, textureOf }, rotation);
    if (!made.ok) return made;
    const turns = made.value;
    if (turns === undefined) return success(this);
    this.#rotations.push(turns);
    return success({
      time: repeats => this.#timed(turning(turns, () => turns.take(repeats))),
      recheck: repeats => {
        const taken = turns.take(repeats);   // of which the last is known before it is drawn
        return this.#compared(turning(turns, () => taken), taken.at(-1)!);
      },
    });
  }

  // Poisons the outputs as the last of the work's turns has them, executes, compares.
  #compared(work: TimedWork, { standIn }: Turn, prepare = (): void => {}): Promise<Attempt<CheckReport>> {
    const { device, clock, poison_bits, task } = this.context;
    return device.checked(async () => {
      prepare();
      const outputs = [...this.held.args.values()].filter(({ tensor }) => tensor !== undefined);
      for (const { texture } of outputs) standIn(texture).poison(poison_bits);
      const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns: saidNs(await clock.read(work)) };
      for (const output of outputs) task.compare(output, standIn(output.texture), report);
      return report;
    });
  }

  async #timed(work: TimedWork): Promise<Attempt<number>> {
    const timed = await this.context.device.checked(() => credibleNs(() => this.context.clock.read(work)));
    return timed.ok ? timed.value : timed;
  }

  #work(repeats: number): TimedWork {
    const { steps } = this.#itself;
    return { draw: () => drawAll(this.context.device.gl, steps, repeats), finish: () => steps.at(-1)?.first_target.waitFor() };
  }

  dispose(again = false): void {
    for (const turns of this.#rotations) turns.dispose();
    this.held.dispose();
    this.context.programs.giveBack(this.programs, again);
  }
}

function take({ device, programs }: KernelContext, { code, bindings }: Launch): Promise<Attempt<Lent<WebGLProgram>>> {
  const samplers = samplersOf(bindings);
  return programs.take(`${samplers.join(' ')} ${code}`, () => createProgram(device, code, samplers));
}

// Draws the turns that it takes, which may be others each time that it is drawn.
function turning(turns: TextureTurns, take: () => readonly Turn[]): TimedWork {
  let last: Turn | undefined;
  return {
    draw: () => {
      const taken = take();
      last = taken.at(-1);
      turns.draw(taken);
    },
    finish: () => last?.steps.at(-1)?.first_target.waitFor(),
  };
}

function bind(context: KernelContext, candidate: Candidate, programs: readonly WebGLProgram[]): Attempt<Held> {
  const { device: { gl }, outputs } = context, { launches, layouts } = candidate, held = new Held(context, candidate);
  const bound = context.device.checkedNow(() => {
    for (const [i, { bindings, grid }] of launches.entries()) {
      const bound = bindings.map(binding => ({ texture: held.textureOf(binding), writes: binding.writes }));
      held.steps.push({ bound, step: makeStep(gl, programs[i]!, bound, grid) });
    }
    const missing = [...outputs, ...layouts.map(({ position }) => position)].find(position => !held.args.has(position));
    if (missing !== undefined) throw new WorkError('validation_error', `no launch binds argument ${missing}, which is an output, or has a layout asked for`);
  });
  if (bound.ok) return success(held);
  held.dispose();
  return bound;
}
