// OpenGlKernel: the launches of one candidate on a task's textures, in the runner.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Binding, Candidate, Launch, Texture } from '../../generated/protocol.ts';
import type { CheckReport, Kernel } from '../backend.ts';
import { sameShape } from '../texture_shape.ts';
import type { Call, Runner } from '../runner/runner.ts';
import type { Argument, TaskTextures } from './task_textures.ts';

export interface KernelContext {
  runner: Runner;
  task: TaskTextures;
  outputs: readonly number[];   // their positions among the task's arguments
  poison_bits: number;
}

interface Bound {
  shape: Texture;
  buffer: number;
}

// What a candidate holds in the runner.
class Held {
  readonly kernels: number[] = [];
  readonly temps = new Map<number, Bound>();
  readonly args = new Map<number, Bound>();
  readonly #taken = new Map<number, Argument>();

  // built: the launches' kernels, where there are some already; they stay another's.
  constructor(private readonly context: KernelContext, readonly candidate: Candidate, private readonly built: readonly number[] = []) {}

  // The candidate's launches, with everything that they need made.
  async calls(): Promise<Attempt<{ calls: Call[]; build_ms: number }>> {
    const calls: Call[] = [];
    let build_ms = 0;
    for (const [i, launch] of this.candidate.launches.entries()) {
      const built = await this.#build(i, launch);
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

  async #build(i: number, { code }: Launch): Promise<Attempt<{ kernel: number; create_ms: number }>> {
    const known = this.built[i];
    if (known !== undefined) return success({ kernel: known, create_ms: 0 });
    const built = await this.context.runner.build(new TextEncoder().encode(code));
    if (built.ok) this.kernels.push(built.value.kernel);
    return built;
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
    if (known !== undefined && !sameShape(known.shape, shape)) return failure('validation_error', `${kind} ${position} is bound as two textures that differ`);
    if (known !== undefined) return success(known.buffer);
    const made = kind === 'temp' ? await this.context.runner.make(bytes, this.context.poison_bits, shape) : await this.#argument(position, shape);
    if (made.ok) held.set(position, { shape, buffer: made.value });
    return made;
  }

  async #argument(position: number, shape: Texture): Promise<Attempt<number>> {
    const taken = this.context.task.take(position, shape, this.candidate.layouts.find(layout => layout.position === position));
    if (!taken.ok) return taken;
    this.#taken.set(position, taken.value);
    return taken.value.buffer;
  }

  outputs(): Argument[] {
    return [...this.#taken.values()].filter(({ tensor }) => tensor !== undefined);
  }

  dispose(): void {
    const { runner, task } = this.context;
    for (const kernel of this.kernels) runner.drop(kernel);
    for (const { buffer } of this.temps.values()) runner.free(buffer);
    for (const argument of this.#taken.values()) void task.release(argument);
  }
}

export class OpenGlKernel implements Kernel {
  readonly compiles_late = false;   // what drivers leave to the first draw is measured by itself
  create_ms: number;

  private constructor(private readonly context: KernelContext, private readonly held: Held, private readonly program: number, build_ms: number) {
    this.create_ms = build_ms;
  }

  static async build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    const held = new Held(context, candidate), made = await held.calls();
    const program = made.ok ? await context.runner.bind(made.value.calls) : made;
    if (made.ok && program.ok) return success(new OpenGlKernel(context, held, program.value, made.value.build_ms));
    held.dispose();
    return program as ReturnType<typeof failure>;
  }

  async check(): Promise<Attempt<CheckReport>> {
    const compiled_ns = await this.context.runner.settle(this.program);
    if (!compiled_ns.ok) return compiled_ns;
    this.create_ms += compiled_ns.value / 1e6;
    const poisoned = await this.#poison([...this.held.temps.values()]);
    return poisoned.ok ? this.recheck(1) : poisoned;
  }

  // On the textures of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const held = new Held(context, this.held.candidate, this.held.kernels), made = await held.calls();
    const program = made.ok ? await context.runner.bind(made.value.calls) : made;
    const other = made.ok && program.ok ? new OpenGlKernel(context, held, program.value, 0) : undefined;
    const checked = other === undefined ? program as ReturnType<typeof failure> : await other.recheck(1);
    if (other === undefined) held.dispose();
    else other.dispose();
    return checked;
  }

  async recheck(repeats: number): Promise<Attempt<CheckReport>> {
    const { outputs, runner } = this.context, { args } = this.held;
    const poisoned = await this.#poison(outputs.map(position => args.get(position)));
    if (!poisoned.ok) return poisoned;
    const ran = await runner.run(this.program, repeats);
    return ran.ok ? this.#compare(ran.value) : ran;
  }

  async #poison(textures: readonly (Bound | undefined)[]): Promise<Attempt<void>> {
    const { runner, poison_bits } = this.context;
    for (const bound of textures) {
      const poisoned = bound === undefined ? success(undefined) : await runner.poison(bound.buffer, poison_bits);
      if (!poisoned.ok) return poisoned;
    }
    return success(undefined);
  }

  async #compare(first_ns: number): Promise<Attempt<CheckReport>> {
    const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns };
    for (const { buffer, tensor } of this.held.outputs()) {
      const id = await buffer;
      const content = id.ok && tensor !== undefined ? await this.context.runner.read(id.value, tensor.bytes) : id;
      if (!content.ok) return content;
      if (content.value instanceof Uint8Array) tensor?.compare(content.value, report);
    }
    return success(report);
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.context.runner.run(this.program, repeats);
  }

  dispose(): void {
    this.context.runner.unbind(this.program);
    this.held.dispose();
  }
}
