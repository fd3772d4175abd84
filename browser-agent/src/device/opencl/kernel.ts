// OpenClKernel: the launches of one candidate on a task's buffers, in the runner.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Binding, Candidate, Launch } from '../../generated/protocol.ts';
import type { Rotation } from '../../core/rotation.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import type { TaskBuffers } from '../runner/buffers.ts';
import { checkedRun } from '../runner/checked_run.ts';
import { bindPrograms, unbindPrograms, type Programs } from '../runner/programs.ts';
import { LaunchKernels } from '../runner/launch_kernels.ts';
import type { Call, Runner } from '../runner/runner.ts';
import { sourced, Turns } from '../runner/turns.ts';

export interface KernelContext {
  runner: Runner;
  buffers: TaskBuffers;
  tolerance: number;
  poison_bits: number;
}

// What a candidate holds in the runner.
class Held {
  readonly kernels: LaunchKernels;
  readonly temps: number[] = [];
  readonly packed = new Map<number, number>();   // constants in layouts of their own: buffers by position

  // of: another's, whose kernels serve here, too.
  constructor(private readonly context: KernelContext, readonly candidate: Candidate, of?: Held) {
    this.kernels = new LaunchKernels(context.runner, candidate.launches, of?.kernels);
  }

  // The candidate's launches, with everything that they need made.
  async calls(): Promise<Attempt<{ calls: Call[]; build_ms: number }>> {
    const made = await this.#make();
    if (!made.ok) return made;
    const calls: Call[] = [];
    let build_ms = 0;
    for (const [i, launch] of this.candidate.launches.entries()) {
      const built = await this.kernels.at(i);
      if (!built.ok) return built;
      build_ms += built.value.create_ms;
      const call = this.#call(built.value.kernel, launch);
      if (!call.ok) return call;
      calls.push(call.value);
    }
    return success({ calls, build_ms });
  }

  async #make(): Promise<Attempt<void>> {
    const { runner, buffers, poison_bits } = this.context;
    for (const layout of this.candidate.layouts) {
      const packed = await buffers.packed(layout);
      if (!packed.ok) return packed;
      this.packed.set(layout.position, packed.value);
    }
    for (const bytes of this.candidate.temps) {
      const made = await runner.make(bytes, poison_bits);
      if (!made.ok) return made;
      this.temps.push(made.value);
    }
    return success(undefined);
  }

  #call(kernel: number, { bindings, grid, ahead }: Launch): Attempt<Call> {
    const ids: number[] = [];
    for (const binding of bindings) {
      const bound = this.#bind(binding);
      if (!bound.ok) return bound;
      ids.push(bound.value);
    }
    return success({ kernel, ahead, buffers: ids, writes: bindings.map(({ writes }) => writes), bytes: bindings.map(({ bytes }) => bytes), grid });
  }

  #bind({ kind, position, writes }: Binding): Attempt<number> {
    const held = kind === 'arg' ? this.context.buffers.at(position) : undefined;
    const buffer = kind === 'temp' ? this.temps[position] : this.packed.get(position) ?? held?.buffer;
    if (buffer === undefined) return failure('validation_error', `a binding names ${kind} ${position}, which does not exist`);
    if (writes && held !== undefined && !held.tensor.is_output) return failure('validation_error', `the kernel writes the input ${held.tensor.name}`);
    return success(buffer);
  }

  dispose(): void {
    const { runner } = this.context;
    this.kernels.dispose();
    for (const buffer of [...this.temps, ...this.packed.values()]) runner.free(buffer);
  }
}

function turnsOf(context: KernelContext, candidate: Candidate, { temps, packed }: Held, { all, repeated }: Programs, calls: readonly Call[]): Turns {
  const { runner, buffers } = context;
  return new Turns({
    runner, task: buffers, candidate, program: repeated, calls: calls.filter(({ ahead }) => ahead !== true),
    sourceOf: (kind, position) => sourced(kind === 'temp' ? temps[position] : packed.get(position) ?? buffers.at(position)?.buffer),
    compared: (program, repeats, standIn) => checkedRun({ runner, buffers, program, inspected: all }, repeats, standIn),
  });
}

export class OpenClKernel implements Kernel {
  readonly compiles_late = false;   // what drivers leave to the first launch is measured by itself
  create_ms: number;

  private constructor(private readonly context: KernelContext, private readonly held: Held, private readonly programs: Programs, private readonly turns: Turns, build_ms: number) {
    this.create_ms = build_ms;
  }

  static async build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    const held = new Held(context, candidate), made = await held.calls();
    const programs = made.ok ? await bindPrograms(context.runner, made.value.calls) : made;
    if (made.ok && programs.ok) return success(new OpenClKernel(context, held, programs.value, turnsOf(context, candidate, held, programs.value, made.value.calls), made.value.build_ms));
    held.dispose();
    return programs as ReturnType<typeof failure>;
  }

  async check(): Promise<Attempt<CheckReport>> {
    const { runner, poison_bits } = this.context;
    const compiled_ns = await runner.settle(this.programs.all);
    if (!compiled_ns.ok) return compiled_ns;
    this.create_ms += compiled_ns.value / 1e6;
    for (const temp of this.held.temps) {
      const poisoned = await runner.poison(temp, poison_bits);
      if (!poisoned.ok) return poisoned;
    }
    return this.#checked(this.programs.all, 1);
  }

  // On the buffers of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const held = new Held(context, this.held.candidate, this.held), made = await held.calls();
    const programs = made.ok ? await bindPrograms(context.runner, made.value.calls) : made;
    const checked = programs.ok ? await checkedRun({ ...context, program: programs.value.all, inspected: programs.value.all }, 1) : programs;
    if (programs.ok) unbindPrograms(context.runner, programs.value);
    held.dispose();
    return checked;
  }

  recheck(repeats: number): Promise<Attempt<CheckReport>> {
    return this.#checked(this.programs.repeated, repeats);
  }

  #checked(program: number, repeats: number): Promise<Attempt<CheckReport>> {
    return checkedRun({ ...this.context, program, inspected: this.programs.all }, repeats);
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.context.runner.run(this.programs.repeated, repeats);
  }

  rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    return this.turns.rotating(rotation, this);
  }

  dispose(): void {
    this.turns.dispose();
    unbindPrograms(this.context.runner, this.programs);
    this.held.dispose();
  }
}
