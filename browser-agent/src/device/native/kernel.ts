// NativeKernel: one candidate's kernels on a task's buffers, in the runner.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Candidate, Launch } from '../../generated/protocol.ts';
import type { Rotation } from '../../core/rotation.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import type { TaskBuffers } from '../runner/buffers.ts';
import { checkedRun } from '../runner/checked_run.ts';
import type { BoundBuffer, Call, Runner } from '../runner/runner.ts';
import { sourced, Turns } from '../runner/turns.ts';

export interface KernelContext {
  runner: Runner;
  buffers: TaskBuffers;
  tolerance: number;
}

// A launch's code, as the runner built it.
interface Built {
  kernel: number;
  bindings: readonly BoundBuffer[];
}

// What is to be freed with a kernel.
interface Owned {
  built: Built[];
  packed: Map<number, number>;   // constants in layouts of their own: buffers by position
}

export class NativeKernel implements Kernel {
  readonly compiles_late = false;

  private constructor(private readonly context: KernelContext, private readonly candidate: Candidate, private readonly owned: Owned, private readonly program: number, readonly create_ms: number, private readonly turns: Turns) {}

  static async build(context: KernelContext, candidate: Candidate): Promise<Attempt<Kernel>> {
    const owned: Owned = { built: [], packed: new Map() };
    const create_ms = await build(context.runner, candidate, owned), bound = create_ms.ok ? await bind(context, candidate, owned) : create_ms;
    if (create_ms.ok && bound.ok) return success(new NativeKernel(context, candidate, owned, bound.value.program, create_ms.value, turnsOf(context, candidate, owned, bound.value)));
    free(context.runner, owned);
    return bound as ReturnType<typeof failure>;
  }

  async check(): Promise<Attempt<CheckReport>> {
    const checked = await this.recheck(1);
    if (!checked.ok || checked.value.unwritten > 0 || !(checked.value.max_error <= this.context.tolerance)) return checked;
    const warm_ns = await this.context.runner.settle(this.program);
    return warm_ns.ok ? success({ ...checked.value, first_ns: warm_ns.value }) : warm_ns;
  }

  // On the buffers of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    const owned: Owned = { built: this.owned.built, packed: new Map() }, bound = await bind(context, this.candidate, owned);
    const checked = bound.ok ? await checkedRun({ ...context, program: bound.value.program, inspected: bound.value.program }, 1) : bound;
    if (bound.ok) context.runner.unbind(bound.value.program);
    free(context.runner, { ...owned, built: [] });
    return checked;
  }

  recheck(repeats: number): Promise<Attempt<CheckReport>> {
    return checkedRun({ ...this.context, program: this.program, inspected: this.program }, repeats);
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.context.runner.run(this.program, repeats);
  }

  rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    return this.turns.rotating(rotation, this);
  }

  dispose(): void {
    this.turns.dispose();
    this.context.runner.unbind(this.program);
    free(this.context.runner, this.owned);
  }
}

// Scratch buffers are the runner's own.
function turnsOf({ runner, buffers }: KernelContext, candidate: Candidate, { packed }: Owned, { program, calls }: { program: number; calls: readonly Call[] }): Turns {
  return new Turns({
    runner, task: buffers, candidate, program, calls,
    sourceOf: (kind, position) => sourced(kind === 'arg' ? packed.get(position) ?? buffers.at(position)?.buffer : undefined),
    compared: (turns, repeats, standIn) => checkedRun({ runner, buffers, program: turns, inspected: program }, repeats, standIn),
  });
}

function free(runner: Runner, { built, packed }: Owned): void {
  for (const { kernel } of built) runner.drop(kernel);
  for (const buffer of packed.values()) runner.free(buffer);
}

// Milliseconds.
async function build(runner: Runner, candidate: Candidate, owned: Owned): Promise<Attempt<number>> {
  let create_ms = 0;
  for (const launch of candidate.launches) {
    const built = await runner.build(new TextEncoder().encode(launch.code));
    if (!built.ok) return built;
    owned.built.push(built.value);
    create_ms += built.value.create_ms;
  }
  return success(create_ms);
}

async function bind(context: KernelContext, candidate: Candidate, owned: Owned): Promise<Attempt<{ program: number; calls: readonly Call[] }>> {
  const { runner, buffers } = context;
  for (const layout of candidate.layouts) {
    const packed = await buffers.packed(layout);
    if (!packed.ok) return packed;
    owned.packed.set(layout.position, packed.value);
  }
  const calls: Call[] = [];
  for (const [i, { kernel, bindings }] of owned.built.entries()) {
    const bound = buffersOf(context, candidate.launches[i]!, bindings, owned.packed);
    if (!bound.ok) return bound;
    calls.push({ kernel, buffers: bound.value });
  }
  const program = await runner.bind(calls);
  return program.ok ? success({ program: program.value, calls }) : program;
}

// bindings: what the runner found in the kernel itself; what the service says of it must agree.
function buffersOf({ buffers }: KernelContext, launch: Launch, bindings: readonly BoundBuffer[], packed: ReadonlyMap<number, number>): Attempt<number[]> {
  const declared = launch.bindings.map(({ kind, position, writes }) => `${kind} ${position} ${writes}`).join(', ');
  const found = bindings.map(({ position, writes }) => `arg ${position} ${writes}`).join(', ');
  if (declared !== found) return failure('validation_error', `the kernel's bindings are [${found}], declared are [${declared}]`);
  const ids: number[] = [];
  for (const { position, writes } of bindings) {
    const held = buffers.at(position), buffer = packed.get(position) ?? held?.buffer;
    if (held === undefined || buffer === undefined) return failure('validation_error', `a binding names argument ${position}, which does not exist`);
    if (writes && !held.tensor.is_output) return failure('validation_error', `the kernel writes the input ${held.tensor.name}`);
    ids.push(buffer);
  }
  return success(ids);
}
