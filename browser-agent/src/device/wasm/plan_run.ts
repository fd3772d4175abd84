// Runs a whole model: its code and buffers once, then each run as the inputs copied in, every launch, the outputs copied out.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Execution, PlanSpec } from '../backend.ts';
import { timedRuns, whollyWritten, type Run, type RunnableModel } from '../timed_runs.ts';
import { Arguments } from './arguments.ts';
import { borderFindings } from './buffers.ts';
import { extent_max } from './control_block.ts';
import type { EventTurn } from './event_turn.ts';
import { addAll } from './kernel.ts';
import type { Block, KernelMemory } from './kernel_memory.ts';
import { describe } from './module.ts';
import type { Launch, Team } from './team.ts';
import { WarmUp } from './warm_up.ts';

export interface PlanContext {
  memory: KernelMemory;
  team: Team;
  turn: EventTurn;
  quantum_ns: number;
  poison_bits: number;
}

const cold_calls = 16;

export async function executePlan(context: PlanContext, plan: PlanSpec): Promise<Attempt<Execution>> {
  const started = performance.now();
  const added = await addAll(context.team, plan.kernels.map(({ code }) => new Uint8Array(code)));
  if (!added.ok) return added;
  const model = new Model(context, plan);
  try {
    const bound = model.bind(added.value.codes);
    return bound.ok ? await timedRuns(runnable(context, model), plan, performance.now() - started) : bound;
  } catch (error) {
    return failure(error instanceof RangeError ? 'out_of_memory' : 'validation_error', describe(error));
  } finally {
    model.dispose();
    for (const code of added.value.codes) context.team.remove(code);
  }
}

// A model as its team runs it, turns of the event loop between.
function runnable(context: PlanContext, model: Model): RunnableModel {
  return {
    has_device_clock: true,
    first: async () => {
      const run = model.first(cold_calls), finding = model.inspect();
      return run.ok && finding !== '' ? failure('wrong_output', `a kernel ${finding}`) : whollyWritten(run, context.poison_bits);
    },
    settle: async first => warmUp(context, model, first),
    once: async () => {
      await context.turn.take();
      return model.once(1);
    },
    timeLaunch: async (launch, times) => {
      await context.turn.take();
      return model.timeLaunch(launch, times);
    },
  };
}

// Until all code is optimised and each launch runs on the threads that suit it.
function warmUp({ quantum_ns }: PlanContext, model: Model, first: Run): Attempt<void> {
  const warm_up = new WarmUp(quantum_ns);
  warm_up.note(first.kernel_ms * 1e6, 1);
  while (!warm_up.over) {
    let kernel_ms = 0;
    for (let i = 0, batch = warm_up.batch; i < batch; i++) {
      const run = model.once(cold_calls);
      if (!run.ok) return run;
      kernel_ms += run.value.kernel_ms;
    }
    warm_up.note(kernel_ms * 1e6, 1);
  }
  return model.settleThreads();
}

function trapped(error: unknown): ReturnType<typeof failure> {
  return failure('validation_error', `a kernel trapped: ${describe(error)}`);
}

// The plan's buffers and launches. What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
class Model {
  readonly #context: PlanContext;
  readonly #plan: PlanSpec;
  readonly #blocks: Block[] = [];
  #args: Arguments | undefined;
  #launches: Launch[] = [];
  #repeated: Launch[] = [];  // without those whose results stay what they are

  constructor(context: PlanContext, plan: PlanSpec) {
    this.#context = context;
    this.#plan = plan;
  }

  // Throws RangeError when there is no memory left.
  bind(codes: readonly Launch['code'][]): Attempt<void> {
    const { memory, team } = this.#context, { buffers, constants, kernels, launches } = this.#plan;
    for (const bytes of buffers) this.#blocks.push(memory.allocate(bytes));
    const called = [];
    for (const [i, { kernel, grid, buffers: bound, binding_bytes }] of launches.entries()) {
      const code = codes[kernel];
      if (code === undefined) return failure('validation_error', `launch ${i} names kernel ${kernel}, which does not exist`);
      if (grid[0] > extent_max) return failure('validation_error', `launch ${i} has ${grid[0]} iterations, more than ${extent_max}`);
      const addresses: number[] = [];
      for (const [binding, position] of bound.entries()) {
        const block = this.#blocks[position], bytes = binding_bytes[binding] ?? 0;
        if (block === undefined) return failure('validation_error', `launch ${i} names buffer ${position}, which does not exist`);
        if (bytes > block.bytes) return failure('validation_error', `launch ${i} declares ${bytes} bytes of buffer ${position}, which has ${block.bytes}`);
        addresses.push(block.at);
      }
      called.push({ addresses, scratch_bytes: kernels[kernel]?.scratch_bytes ?? 0 });
    }
    const { places } = this.#args = new Arguments(memory, team.threads, called);
    this.#launches = launches.map(({ kernel, grid }, i) => ({ code: codes[kernel]!, ...places[i]!, extent: grid[0], threads: team.threads }));
    this.#repeated = this.#launches.filter((_, i) => launches[i]?.ahead !== true);
    for (const { buffer, bytes } of constants) this.#upload(buffer, bytes);
    return success(undefined);
  }

  first(calls_min: number): Attempt<Run> {
    return this.#run(this.#launches, calls_min);
  }

  once(calls_min: number): Attempt<Run> {
    return this.#run(this.#repeated, calls_min);
  }

  #run(launches: readonly Launch[], calls_min: number): Attempt<Run> {
    const { team } = this.#context;
    const started = performance.now();
    for (const { buffer, bytes } of this.#plan.inputs) this.#upload(buffer, bytes);
    let kernel_ms: number;
    try {
      kernel_ms = team.work(launches, () => {
        const launched = performance.now();
        for (const launch of launches) team.run(launch, calls_min);
        return performance.now() - launched;
      });
    } catch (error) {
      return trapped(error);
    }
    const outputs = this.#download();
    return success({ outputs, run_ms: performance.now() - started, kernel_ms });
  }

  timeLaunch(position: number, times: number): Attempt<number> {
    const { team } = this.#context, launch = this.#launches[position];
    if (launch === undefined) return failure('validation_error', `there is no launch ${position}`);
    try {
      return success(team.work([launch], () => {
        const started = performance.now();
        for (let i = 0; i < times; i++) team.run(launch, 1);
        return (performance.now() - started) * 1e6;
      }));
    } catch (error) {
      return trapped(error);
    }
  }

  settleThreads(): Attempt<void> {
    const { team, quantum_ns } = this.#context;
    try {
      for (const launch of this.#repeated) team.settleThreads(launch, quantum_ns);
      return success(undefined);
    } catch (error) {
      return trapped(error);
    }
  }

  // What kernels wrote beside the buffers, in words, else empty.
  inspect(): string {
    const { memory } = this.#context;
    return [...this.#blocks.flatMap((block, i) => borderFindings(memory, block, `buffer ${i}`)), ...this.#args?.findings() ?? []].join(', ');
  }

  #upload(position: number, bytes: ArrayBuffer): void {
    const block = this.#blockAt(position);
    this.#context.memory.bytes(block).set(new Uint8Array(bytes, 0, Math.min(bytes.byteLength, block.bytes)));
  }

  #download(): ArrayBuffer {
    const { outputs } = this.#plan;
    const all = new Uint8Array(outputs.reduce((sum, { bytes }) => sum + bytes, 0));
    let at = 0;
    for (const { buffer, bytes } of outputs) {
      all.set(this.#context.memory.bytes(this.#blockAt(buffer), bytes), at);
      at += bytes;
    }
    return all.buffer;
  }

  #blockAt(position: number): Block {
    const block = this.#blocks[position];
    if (block === undefined) throw new Error(`the plan names buffer ${position}, which does not exist`);
    return block;
  }

  dispose(): void {
    for (const block of this.#blocks) this.#context.memory.free(block);
    this.#args?.dispose();
  }
}
