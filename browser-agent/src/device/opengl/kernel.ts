// OpenGlKernel: the launches of one candidate on a task's textures, in the runner.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Binding, Candidate, Launch, Texture } from '../../generated/protocol.ts';
import { withoutAhead, type Rotation } from '../../core/rotation.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import type { StandIn } from '../runner/buffers.ts';
import { LaunchKernels } from '../runner/launch_kernels.ts';
import type { Call, Runner } from '../runner/runner.ts';
import { Turns, type Source } from '../runner/turns.ts';
import type { TaskTensor } from '../task_tensor.ts';
import { sameShape } from '../texture_shape.ts';
import type { Argument, TaskTextures } from './task_textures.ts';

export interface KernelContext {
  runner: Runner;
  task: TaskTextures;
  outputs: readonly number[];   // their positions among the task's arguments
  poison_bits: number;
}

interface Bound {
  texture: Texture;
  buffer: number;
}

// The candidate's launches, with everything that they need made.
interface Made {
  calls: Call[];
  build_ms: number;
}

// What a candidate holds in the runner.
class Held {
  readonly kernels: LaunchKernels;
  readonly temps = new Map<number, Bound>();
  readonly args = new Map<number, Bound>();
  readonly #taken = new Map<number, Argument>();

  // of: another's, whose kernels serve here, too.
  constructor(private readonly context: KernelContext, readonly candidate: Candidate, of?: Held) {
    this.kernels = new LaunchKernels(context.runner, candidate.launches, of?.kernels);
  }

  async make(): Promise<Attempt<Made>> {
    const calls: Call[] = [];
    let build_ms = 0;
    for (const [i, launch] of this.candidate.launches.entries()) {
      const built = await this.kernels.at(i);
      if (!built.ok) return built;
      build_ms += built.value.create_ms;
      const call = await this.#call(built.value.kernel, launch);
      if (!call.ok) return call;
      calls.push(call.value);
    }
    const { outputs } = this.context, layouts = this.candidate.layouts.map(({ position }) => position);
    const missing = [...outputs, ...layouts].find(position => !this.args.has(position));
    if (missing === undefined) return success({ calls, build_ms });
    return failure('validation_error', `no launch binds argument ${missing}, which is an output, or has a layout asked for`);
  }

  async #call(kernel: number, { bindings, grid }: Launch): Promise<Attempt<Call>> {
    const buffers: number[] = [];
    for (const binding of bindings) {
      const bound = await this.#bind(binding);
      if (!bound.ok) return bound;
      buffers.push(bound.value);
    }
    return success({ kernel, buffers, writes: bindings.map(({ writes }) => writes), grid });
  }

  async #bind({ kind, position, bytes, texture: shape, writes }: Binding): Promise<Attempt<number>> {
    if (shape === undefined) return failure('validation_error', `a binding of ${kind} ${position} names no texture; kernels of OpenGL need one`);
    if (kind === 'arg' && writes && !this.context.outputs.includes(position)) return failure('validation_error', `the kernel writes argument ${position}, which is no output`);
    const held = kind === 'temp' ? this.temps : this.args, known = held.get(position);
    if (known !== undefined && !sameShape(known.texture, shape)) return failure('validation_error', `${kind} ${position} is bound as two textures that differ`);
    if (known !== undefined) return success(known.buffer);
    const made = kind === 'temp' ? await this.context.runner.make(bytes, this.context.poison_bits, shape) : await this.#argument(position, shape);
    if (made.ok) held.set(position, { texture: shape, buffer: made.value });
    return made;
  }

  async #argument(position: number, shape: Texture): Promise<Attempt<number>> {
    const taken = this.context.task.take(position, shape, this.candidate.layouts.find(layout => layout.position === position));
    if (!taken.ok) return taken;
    this.#taken.set(position, taken.value);
    return taken.value.buffer;
  }

  outputs(): { buffer: number; tensor: TaskTensor }[] {
    return [...this.args].flatMap(([position, { buffer }]) => {
      const tensor = this.#taken.get(position)?.tensor;
      return tensor === undefined ? [] : [{ buffer, tensor }];
    });
  }

  dispose(): void {
    const { runner, task } = this.context;
    this.kernels.dispose();
    for (const { buffer } of this.temps.values()) runner.free(buffer);
    for (const argument of this.#taken.values()) void task.release(argument);
  }
}

export class OpenGlKernel implements Kernel {
  readonly compiles_late = false;   // what drivers leave to the first draw is measured by itself
  readonly #turns: Turns;
  create_ms: number;

  private constructor(private readonly context: KernelContext, private readonly held: Held, private readonly program: number, { calls, build_ms }: Made) {
    const sourceOf = (kind: Binding['kind'], position: number): Source | undefined => (kind === 'temp' ? held.temps : held.args).get(position);
    const { runner, task } = context, compared = this.#compared.bind(this);
    this.#turns = new Turns({ runner, task, candidate: withoutAhead(held.candidate), program, calls, sourceOf, compared });
    this.create_ms = build_ms;
  }

  static build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    return OpenGlKernel.#bound(context, new Held(context, candidate));
  }

  static async #bound(context: KernelContext, held: Held): Promise<Attempt<OpenGlKernel>> {
    const made = await held.make(), program = made.ok ? await context.runner.bind(made.value.calls) : made;
    if (made.ok && program.ok) return success(new OpenGlKernel(context, held, program.value, made.value));
    held.dispose();
    return program as ReturnType<typeof failure>;
  }

  async check(): Promise<Attempt<CheckReport>> {
    const compiled_ns = await this.context.runner.settle(this.program);
    if (!compiled_ns.ok) return compiled_ns;
    this.create_ms += compiled_ns.value / 1e6;
    const poisoned = await this.#poison([...this.held.temps.values()].map(({ buffer }) => buffer));
    return poisoned.ok ? this.recheck(1) : poisoned;
  }

  // On the textures of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const other = await OpenGlKernel.#bound(context, new Held(context, this.held.candidate, this.held));
    if (!other.ok) return other;
    const checked = await other.value.recheck(1);
    other.value.dispose();
    return checked;
  }

  recheck(repeats: number): Promise<Attempt<CheckReport>> {
    return this.#compared(this.program, repeats, own => own);
  }

  // Poisons the outputs, or what stands for them, runs the program, compares them.
  async #compared(program: number, repeats: number, standIn: StandIn): Promise<Attempt<CheckReport>> {
    const { runner } = this.context, outputs = this.held.outputs().map(({ buffer, tensor }) => ({ buffer: standIn(buffer), tensor }));
    const poisoned = await this.#poison(outputs.map(({ buffer }) => buffer));
    if (!poisoned.ok) return poisoned;
    const ran = await runner.run(program, repeats);
    if (!ran.ok) return ran;
    const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns: ran.value };
    for (const { buffer, tensor } of outputs) {
      const content = await runner.read(buffer, tensor.bytes);
      if (!content.ok) return content;
      tensor.compare(content.value, report);
    }
    return success(report);
  }

  async #poison(textures: readonly number[]): Promise<Attempt<void>> {
    const { runner, poison_bits } = this.context;
    for (const texture of textures) {
      const poisoned = await runner.poison(texture, poison_bits);
      if (!poisoned.ok) return poisoned;
    }
    return success(undefined);
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.context.runner.run(this.program, repeats);
  }

  rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    return this.#turns.rotating(rotation, this);
  }

  dispose(): void {
    this.#turns.dispose();
    this.context.runner.unbind(this.program);
    this.held.dispose();
  }
}
