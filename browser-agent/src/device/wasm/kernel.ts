// WasmKernel: the launches of one candidate on a task's buffers.
import type { Modules } from '../../core/measure_modules.ts';
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Binding, Candidate, Launch as LaunchFrame } from '../../generated/protocol.ts';
import type { CopyPool, Copies } from '../../core/copy_pool.ts';
import { rotatingBuffers, setsOf, type RotatingBuffer, type Rotation } from '../../core/rotation.ts';
import type { CheckReport, Kernel, TimedKernel } from '../backend.ts';
import { Arguments } from '../../../../browser-runtime/src/device/wasm/arguments.ts';
import type { PlaceOf, TaskBuffers } from './buffers.ts';
import { extent_max } from '../../../../browser-runtime/src/device/wasm/control_block.ts';
import type { EventTurn } from '../../../../browser-runtime/src/device/event_turn.ts';
import { borderFindings, type Block, type KernelMemory } from '../../../../browser-runtime/src/device/wasm/kernel_memory.ts';
import { describe } from '../../../../browser-runtime/src/device/wasm/module.ts';
import { addAll, type Launch, type Team } from '../../../../browser-runtime/src/device/wasm/team.ts';
import { WarmUp } from '../../../../browser-runtime/src/device/wasm/warm_up.ts';

export interface KernelContext {
  memory: KernelMemory;
  team: Team;
  turn: EventTurn;
  quantum_ns: number;
  buffers: TaskBuffers;
  copies: CopyPool<Block>;
  tolerance: number;
}

// An execution on a set of buffers.
interface Turn {
  launches: readonly Launch[];
  placeOf?: PlaceOf;             // absent: on the task's own
}

// While code is cold: the optimised code can take over between any two calls.
const cold_calls = 16;

export class WasmKernel implements Kernel {
  readonly create_ms: number;
  readonly compiles_late = false;
  readonly #context: KernelContext;
  readonly #launches: Launch[];
  readonly #repeated: Launch[];  // without those whose results stay what they are
  readonly #temps: Block[];
  readonly #packed: Block[];
  readonly #args: Arguments;
  readonly #bound: Bound;
  readonly #rotations: (() => void)[] = [];   // what gives them back

  private constructor(context: KernelContext, bound: Bound, create_ms: number) {
    const { launches, repeated, temps, packed, args } = bound;
    this.#context = context;
    this.#bound = bound;
    this.#launches = launches;
    this.#repeated = repeated;
    this.#temps = temps;
    this.#packed = packed;
    this.#args = args;
    this.create_ms = create_ms;
  }

  static async build(context: KernelContext, candidate: Candidate, modules: Modules): Promise<Attempt<Kernel>> {
    const added = await addAll(context.team, candidate.launches.map((_, i) => modules[i] ?? new Uint8Array(0)));
    if (!added.ok) return added;
    const { codes, compile_ms } = added.value;
    const bound = bind(context, candidate, codes);
    if (bound.ok) return success(new WasmKernel(context, bound.value, compile_ms));
    for (const code of codes) context.team.remove(code);
    return bound;
  }

  async check(): Promise<Attempt<CheckReport>> {
    const { turn, tolerance } = this.#context;
    await turn.take();
    const checked = this.#checked(cold_calls);
    if (!checked.ok || checked.value.unwritten > 0 || !(checked.value.max_error <= tolerance)) return checked;
    const warm_ns = this.#warmUp(checked.value.first_ns);
    return warm_ns.ok ? success({ ...checked.value, first_ns: warm_ns.value }) : warm_ns;
  }

  // On the buffers of another task.
  async checkOn(context: KernelContext): Promise<Attempt<CheckReport>> {
    await context.turn.take();
    const bound = bind(context, this.#bound.candidate, this.#launches.map(({ code }) => code));
    if (!bound.ok) return bound;
    const other = new WasmKernel(context, bound.value, 0), checked = other.#checked(1);
    other.#freeBlocks();
    return checked;
  }

  #checked(calls_min: number): Attempt<CheckReport> {
    for (const temp of this.#temps) this.#context.memory.poison(temp);
    return this.#compared(() => this.#run(this.#launches, 1, calls_min));
  }

  async time(repeats: number): Promise<Attempt<number>> {
    await this.#context.turn.take();
    return this.#run(this.#repeated, repeats, 1);
  }

  async recheck(repeats: number): Promise<Attempt<CheckReport>> {
    await this.#context.turn.take();
    return this.#compared(() => this.#run(this.#repeated, repeats, 1));
  }

  async rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    const { buffers, turn } = this.#context, { candidate } = this.#bound;
    const rotating = rotatingBuffers(candidate, buffers.all, rotation), sets = setsOf(rotation, rotating);
    if (sets === 1) return success(this);
    const bound = await this.#bindSets(rotating, sets);
    if (!bound.ok) return bound;
    let next = 0;
    const take = (repeats: number): Turn[] => Array.from({ length: repeats }, () => bound.value[next++ % sets]!);
    const run = (taken: readonly Turn[]) => this.#runAll(this.#repeated, taken.map(({ launches }) => launches));
    return success({
      time: async repeats => {
        await turn.take();
        return run(take(repeats));
      },
      recheck: async repeats => {
        await turn.take();
        const taken = take(repeats);
        return this.#compared(() => run(taken), taken.at(-1)!.placeOf);
      },
    });
  }

  // Poisons the outputs, executes, compares what lies at these places.
  #compared(execute: () => Attempt<number>, placeOf?: PlaceOf): Attempt<CheckReport> {
    const { memory, buffers } = this.#context;
    buffers.reset(placeOf);
    const ran = execute(), finding = this.#inspect();
    if (!ran.ok) {
      memory.incidents++;
      return ran;
    }
    if (finding !== '') return failure('wrong_output', `the kernel ${finding}`);
    const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns: ran.value };
    buffers.compare(report, placeOf);
    return success(report);
  }

  // The repeated launches, once for each set of buffers; the first is the kernel's own.
  async #bindSets(rotating: readonly RotatingBuffer[], sets: number): Promise<Attempt<Turn[]>> {
    const { memory, team, buffers, copies } = this.#context, { candidate, repeated, addressOf } = this.#bound;
    const taken: { buffer: RotatingBuffer; copies: Copies<Block> }[] = [];
    this.#rotations.push(() => taken.forEach(one => one.copies.release()));
    for (const buffer of rotating) {
      const made = await copies.take({ task: buffers, label: this.#labelOf(buffer), bytes: buffer.bytes, count: sets - 1 }, stride => copyBlock(memory, addressOf(buffer), buffer.bytes, stride, sets - 1));
      if (!made.ok) return made;
      taken.push({ buffer, copies: made.value });
    }
    const copyOf = (kind: Binding['kind'], position: number, set: number): Block | undefined => {
      const one = taken.find(({ buffer }) => buffer.kind === kind && buffer.position === position);
      return one && { at: one.copies.content.at + set * one.copies.stride, bytes: one.copies.stride };
    };
    const later = candidate.launches.filter(({ ahead }) => ahead !== true);
    const called = Array.from({ length: sets - 1 }, (_, set) => later.map(({ bindings, scratch_bytes }) => ({
      scratch_bytes,
      addresses: bindings.map(({ kind, position }) => copyOf(kind, position, set)?.at ?? addressOf({ kind, position })),
    })));
    try {
      const args = new Arguments(memory, team.threads, called.flat());
      this.#rotations.push(() => args.dispose());
      return success([{ launches: repeated }, ...called.map((_, set) => ({
        launches: repeated.map((launch, i) => ({ ...launch, ...args.places[set * later.length + i]! })), placeOf: (position: number, block: Block) => copyOf('arg', position, set) ?? block,
      }))]);
    } catch (error) {
      if (error instanceof RangeError) return failure('out_of_memory', describe(error));
      throw error;
    }
  }

  // Scratch memory is a candidate's own.
  #labelOf({ kind, label }: RotatingBuffer): string {
    return kind === 'arg' ? label : `${label} of ${this.#launches[0]?.code.id}`;
  }

  // Nanoseconds of one run, as warm code takes them. first_ns: the checked one was the first.
  #warmUp(first_ns: number): Attempt<number> {
    const warm_up = new WarmUp(this.#context.quantum_ns);
    const calls = this.#repeated.reduce((least, { extent }) => Math.min(least, extent, cold_calls), cold_calls);
    warm_up.note(first_ns, calls);
    while (!warm_up.over) {
      const ran = this.#run(this.#repeated, warm_up.batch, cold_calls);
      if (!ran.ok) return ran;
      warm_up.note(ran.value, calls);
    }
    return this.#settleThreads();
  }

  // Nanoseconds of one run after each launch got the threads that suit it.
  #settleThreads(): Attempt<number> {
    const { team, quantum_ns } = this.#context;
    try {
      team.settleThreads(this.#repeated, quantum_ns);
    } catch (error) {
      return trapped(error);
    }
    return this.#run(this.#repeated, 1, 1);
  }

  // Nanoseconds of all runs.
  #run(launches: readonly Launch[], repeats: number, calls_min: number): Attempt<number> {
    return this.#runAll(launches, Array.from({ length: repeats }, () => launches), calls_min);
  }

  // Nanoseconds of these rows of launches, all of which are the given ones, on other buffers perhaps.
  #runAll(launches: readonly Launch[], rows: readonly (readonly Launch[])[], calls_min = 1): Attempt<number> {
    const { team } = this.#context;
    try {
      return success(team.work(launches, () => {
        const started = performance.now();
        for (const row of rows) for (const launch of row) team.run(launch, calls_min);
        return (performance.now() - started) * 1e6;
      }));
    } catch (error) {
      return trapped(error);
    }
  }

  #inspect(): string {
    const { memory, buffers } = this.#context;
    const own = [...this.#temps.flatMap((temp, i) => borderFindings(memory, temp, `scratch buffer ${i}`)),
      ...this.#packed.flatMap(block => borderFindings(memory, block, 'a packed constant')), ...this.#args.findings()];
    return [buffers.inspect(), ...own].filter(finding => finding !== '').join(', ');
  }

  #freeBlocks(): void {
    for (const block of [...this.#temps, ...this.#packed]) this.#context.memory.free(block);
    this.#args.dispose();
  }

  dispose(): void {
    for (const giveBack of this.#rotations) giveBack();
    this.#freeBlocks();
    for (const { code } of this.#launches) this.#context.team.remove(code);
  }
}

function trapped(error: unknown): ReturnType<typeof failure> {
  return failure('validation_error', `the kernel trapped: ${describe(error)}`);
}

// Copies of a block's content, one behind the other.
function copyBlock(memory: KernelMemory, at: number, bytes: number, stride: number, count: number): Attempt<Block> {
  try {
    const block = memory.allocate(stride * count), content = new Uint8Array(memory.memory.buffer);
    content.fill(0, block.at, block.at + stride * count);
    for (let i = 0; i < count; i++) content.copyWithin(block.at + i * stride, at, at + bytes);
    return success(block);
  } catch (error) {
    if (error instanceof RangeError) return failure('out_of_memory', describe(error));
    throw error;
  }
}

interface Bound {
  candidate: Candidate;
  addressOf(buffer: Pick<Binding, 'kind' | 'position'>): number;
  launches: Launch[];
  repeated: Launch[];
  temps: Block[];
  packed: Block[];               // constants in layouts of their own
  args: Arguments;
}

function bind(context: KernelContext, candidate: Candidate, codes: readonly Launch['code'][]): Attempt<Bound> {
  const { memory, team } = context;
  const blocks: Block[] = [];
  const undo = (why: ReturnType<typeof failure>): Attempt<Bound> => {
    for (const block of blocks) memory.free(block);
    return why;
  };
  try {
    for (const bytes of candidate.temps) blocks.push(memory.allocate(bytes));
    const temps = [...blocks];
    const packed = new Map<number, Block>();
    for (const layout of candidate.layouts) {
      const block = context.buffers.packed(layout);
      if (!block.ok) return undo(block);
      blocks.push(block.value);
      packed.set(layout.position, block.value);
    }
    const called = [];
    for (const launch of candidate.launches) {
      const addresses = addressesOf(context, launch, temps, packed);
      if (!addresses.ok) return undo(addresses);
      called.push({ addresses: addresses.value, scratch_bytes: launch.scratch_bytes });
    }
    const args = new Arguments(memory, team.threads, called);
    const launches = candidate.launches.map(({ grid }, i) => ({ code: codes[i]!, ...args.places[i]!, extent: grid[0], threads: team.threads }));
    const repeated = launches.filter((_, i) => candidate.launches[i]?.ahead !== true);
    const addressOf = ({ kind, position }: Pick<Binding, 'kind' | 'position'>): number => (kind === 'temp' ? temps[position] : packed.get(position) ?? context.buffers.at(position)?.block)!.at;
    return success({ candidate, addressOf, launches, repeated, temps, packed: [...packed.values()], args });
  } catch (error) {
    if (error instanceof RangeError) return undo(failure('out_of_memory', describe(error)));
    throw error;
  }
}

function addressesOf({ buffers }: KernelContext, launch: LaunchFrame, temps: readonly Block[], packed: ReadonlyMap<number, Block>): Attempt<number[]> {
  if (launch.grid[0] > extent_max) return failure('validation_error', `the grid has ${launch.grid[0]} iterations, more than ${extent_max}`);
  if (launch.grid[1] !== 1 || launch.grid[2] !== 1) return failure('validation_error', `the grid [${launch.grid}] has more than one dimension`);
  const addresses: number[] = [];
  for (const [i, { kind, position, bytes }] of launch.bindings.entries()) {
    const block = kind === 'arg' ? packed.get(position) ?? buffers.at(position)?.block : temps[position];
    if (block === undefined) return failure('validation_error', `binding ${i} names ${kind} ${position}, which does not exist`);
    if (bytes > block.bytes) return failure('validation_error', `binding ${i} declares ${bytes} bytes, ${kind} ${position} has ${block.bytes}`);
    addresses.push(block.at);
  }
  return success(addresses);
}
