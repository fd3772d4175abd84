// WasmPlan: a model on WebAssembly, by the threads of a team. A run is the inputs copied in, every launch, the outputs copied out; nothing waits. Where a
// caller shares the memory it puts the inputs in their places and takes the outputs from theirs itself.
import { failure, success, type Attempt } from '../device/outcome.ts';
import { Arguments } from '../device/wasm/arguments.ts';
import { extent_max } from '../device/wasm/control_block.ts';
import { borderFindings, type Block, type KernelMemory } from '../device/wasm/kernel_memory.ts';
import { describe } from '../device/wasm/module.ts';
import type { PageWork } from '../device/wasm/page_thread.ts';
import { addAll, type Code, type Launch, type Team } from '../device/wasm/team.ts';
import type { ThreadChoice } from '../device/wasm/thread_choice.ts';
import { WarmUp } from '../device/wasm/warm_up.ts';
import { checkLoops, piecesOf } from './loops.ts';
import { bytesOf, outputBytes, type PlanSpec, type Upload } from './plan.ts';
import { WasmPorts } from './wasm_ports.ts';

export interface WasmContext {
  readonly memory: KernelMemory;
  readonly team: Team;
  readonly copy_rows?: Uint8Array<ArrayBuffer>;   // the code of copy_rows.cc, for plans with row-major inputs or outputs
}

export interface WasmRun {
  outputs: ArrayBuffer;
  kernel_ms: number;
}

const word_bytes = 4;
const alone_runs = 5;
const cold_factor = 10;               // code of the baseline compiler is so much slower (device/wasm/warm_up.ts)
export const cold_calls = 16;         // of a launch while code is cold: the optimised code can take over between any two

export class WasmPlan {
  readonly #blocks: Block[] = [];
  #ports: WasmPorts | undefined;
  #before: Launch[] = [];             // which bring the inputs into their layouts
  #after: Launch[] = [];              // and the outputs out of theirs
  #args: Arguments | undefined;
  #launches: Launch[] = [];
  #repeated: Launch[] = [];           // without those whose results stay what they are
  #begun = false;
  #fastest_ms = Infinity;             // of the runs so far, cold ones among them
  #choice: ThreadChoice | undefined;

  private constructor(private readonly context: WasmContext, private readonly spec: PlanSpec, private readonly codes: readonly Code[]) {}

  // Its code and memory.
  static async open(context: WasmContext, spec: PlanSpec): Promise<Attempt<WasmPlan>> {
    const fits = checkLoops(spec);
    if (!fits.ok) return fits;
    const { copy_rows } = context, codes = spec.kernels.map(({ code }) => new Uint8Array(code));
    const added = await addAll(context.team, copy_rows === undefined ? codes : [...codes, copy_rows]);
    if (!added.ok) return added;
    const plan = new WasmPlan(context, spec, added.value.codes), bound = plan.#guarded(() => plan.#bind());
    if (bound.ok) return success(plan);
    plan.dispose();
    return bound;
  }

  // What was computed ahead of all runs is computed again.
  write(upload: Upload): Attempt<void> {
    this.#begun = false;
    return this.#put(upload);
  }

  #put(upload: Upload): Attempt<void> {
    const block = this.#ports?.input(upload.buffer), bytes = bytesOf(upload), { at = 0 } = upload;
    if (block === undefined) return failure('validation_error', `the plan names buffer ${upload.buffer}, which does not exist`);
    if (at + bytes.byteLength > block.bytes) return failure('validation_error', `the plan puts ${at + bytes.byteLength} bytes into buffer ${upload.buffer} of ${block.bytes}`);
    this.context.memory.bytes(block).set(bytes, at);
    return success(undefined);
  }

  // The outputs, one after the other. calls_min: into a launch's code.
  run(inputs: readonly Upload[], calls_min = 1): Attempt<WasmRun> {
    const ran = this.runInPlace(inputs, calls_min);
    return ran.ok ? success({ outputs: this.#download(), kernel_ms: ran.value }) : ran;
  }

  // The same without reading the outputs; milliseconds of the kernels. inputs: those that are not in their places.
  runInPlace(inputs: readonly Upload[], calls_min = 1): Attempt<number> {
    const repeats = this.#begun;
    this.#begun = true;
    for (const input of inputs) {
      const written = this.#put(input);
      if (!written.ok) return written;
    }
    const trial = repeats ? this.#choice?.trial() : undefined;
    return this.#guarded(() => success(trial === undefined ? this.#runMs(repeats, calls_min) : this.#tryMs(trial)));
  }

  // Addresses in the memory: of an input of this buffer, and of each output.
  inputAt(buffer: number): number | undefined {
    return this.#ports?.input(buffer)?.at;
  }

  get outputsAt(): number[] {
    return (this.#ports?.outputs ?? []).map(({ at }) => at);
  }

  #runMs(repeats: boolean, calls_min: number): number {
    const { team } = this.context, launches = this.#all(repeats);
    return team.work(launches, () => {
      const started = performance.now();
      if (this.spec.loops.length === 0) {
        for (const launch of launches) team.run(launch, calls_min);
      } else {
        for (const launch of this.#before) team.run(launch, calls_min);
        this.#runPieces(repeats, calls_min);
        for (const launch of this.#after) team.run(launch, calls_min);
      }
      const elapsed_ms = performance.now() - started;
      this.#fastest_ms = Math.min(this.#fastest_ms, elapsed_ms);
      return elapsed_ms;
    }, true);
  }

  // Of a run, as far as no loop repeats them.
  #all(repeats: boolean): Launch[] {
    return [...this.#before, ...repeats ? this.#repeated : this.#launches, ...this.#after];
  }

  #runPieces(begun: boolean, calls_min: number): void {
    const pieces = piecesOf(this.spec), { launches } = this.spec;
    for (let next = pieces.next(); next.done !== true;) {
      if ('condition' in next.value) {
        next = pieces.next(this.#holds(next.value.condition));
        continue;
      }
      for (let i = next.value.first; i < next.value.last; i++)
        if (!(begun && launches[i]?.ahead === true)) this.context.team.run(this.#launches[i]!, calls_min);
      next = pieces.next(false);
    }
  }

  #holds(condition: number): boolean {
    const block = this.#blocks[condition];
    return block !== undefined && this.context.memory.bytes(block, word_bytes).some(byte => byte !== 0);
  }

  // A run that tells how long each launch takes in this way.
  #tryMs(alone: readonly boolean[]): number {
    const { team } = this.context, launches = this.#all(true), tried = team.sharing(launches, alone), ns = team.work(tried, () => team.timeNs(tried, 1), true);
    this.#choice?.note(alone, ns);
    team.share(launches, this.#choice?.alone ?? alone);
    return ns.reduce((sum, one) => sum + one, 0) / 1e6;
  }

  // Runs on, without new inputs, until all code is optimised. first_ms: what the first run took.
  // breathe: between runs; constants may be written meanwhile.
  async warmUp(first_ms: number, quantum_ns: number, breathe: () => Promise<void>): Promise<Attempt<void>> {
    const warm_up = new WarmUp(quantum_ns);
    warm_up.note(first_ms * 1e6, 1);
    while (!warm_up.over) {
      let kernel_ms = 0;
      for (let i = 0, batch = warm_up.batch; i < batch; i++) {
        const run = this.run([], cold_calls);
        if (!run.ok) return run;
        kernel_ms += run.value.kernel_ms;
      }
      warm_up.note(kernel_ms * 1e6, 1);
      await breathe();
    }
    return success(undefined);
  }

  // Once it is warm: finds which launches are faster on one thread. Later runs go on trying, since other work may have been on at the time. Not where loops run:
  // their launches are not tried one by one.
  settleThreads(quantum_ns: number): Attempt<void> {
    if (this.spec.loops.length > 0) return success(undefined);
    return this.#guarded(() => {
      this.#choice = this.context.team.settleThreads(this.#all(true), quantum_ns);
      return success(undefined);
    });
  }

  // Milliseconds of a run by the leader alone, once it is warm. limit_ms: of what is clearly longer little is run, or nothing, and Infinity told.
  aloneMs(limit_ms: number): number {
    if (this.#fastest_ms > limit_ms * cold_factor) return Infinity;
    const { team } = this.context, launches = this.#all(true), tried = team.sharing(launches, launches.map(() => true)), run_ms: number[] = [];
    do run_ms.push(team.timeNs(tried, 1).reduce((sum, ns) => sum + ns, 0) / 1e6);
    while (run_ms.length < alone_runs && run_ms[0]! < 2 * limit_ms);
    return run_ms.sort((a, b) => a - b)[run_ms.length >> 1]!;
  }

  // What another thread needs to run it once it has begun; undefined where loops decide what runs.
  get repeatedWork(): Omit<PageWork, 'memory' | 'runtime'> | undefined {
    if (this.spec.loops.length > 0) return undefined;
    const launches = this.#all(true).map(({ code, args, extent }) => ({ module: this.codes.indexOf(code), args, extent }));
    return { modules: this.codes.map(code => this.context.team.moduleOf(code)), launches };
  }

  // Nanoseconds of this launch so many times.
  launchNs(position: number, times: number): Attempt<number> {
    const { team } = this.context, launch = this.#launches[position];
    if (launch === undefined) return failure('validation_error', `there is no launch ${position}`);
    return this.#guarded(() => success(team.work([launch], () => {
      const started = performance.now();
      for (let i = 0; i < times; i++) team.run(launch, 1);
      return (performance.now() - started) * 1e6;
    })));
  }

  // What kernels wrote beside the buffers, in words, else empty; of a memory with poison.
  findings(): string {
    return [...this.#blocks.flatMap((block, i) => borderFindings(this.context.memory, block, `buffer ${i}`)), ...this.#args?.findings() ?? []].join(', ');
  }

  // Throws RangeError when there is no memory left.
  #bind(): Attempt<void> {
    const { context: { memory, team }, spec: { buffers, kernels, launches, outputs }, codes } = this;
    for (const bytes of buffers) this.#blocks.push(memory.allocate(bytes));
    const called = [];
    for (const [i, { kernel, grid, buffers: bound, binding_bytes }] of launches.entries()) {
      if (codes[kernel] === undefined) return failure('validation_error', `launch ${i} names kernel ${kernel}, which does not exist`);
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
    for (const { buffer } of this.spec.inputs_row_major ?? []) if (this.#blocks[buffer] === undefined) return failure('validation_error', `the plan takes buffer ${buffer}, which does not exist`);
    for (const { buffer, bytes, row_major } of outputs) {
      const held = this.#blocks[buffer]?.bytes ?? 0;
      if (held === 0 || (row_major === undefined && bytes > held)) return failure('validation_error', `the plan reads ${bytes} bytes of buffer ${buffer}, which has ${held}`);
    }
    const { before, after } = this.#ports = new WasmPorts(memory, this.spec, this.#blocks), copies = [...before, ...after], copy_code = codes[kernels.length];
    if (copies.length > 0 && copy_code === undefined) return failure('validation_error', 'the plan has row-major inputs or outputs, and no code that brings them into order');
    const { places } = this.#args = new Arguments(memory, team.threads, [...called, ...copies.map(({ words }) => ({ addresses: words, scratch_bytes: 0 }))]);
    this.#launches = launches.map(({ kernel, grid }, i) => ({ code: codes[kernel]!, ...places[i]!, extent: grid[0], threads: team.threads }));
    this.#repeated = this.#launches.filter((_, i) => launches[i]?.ahead !== true);
    const copying = copies.map(({ extent }, i) => ({ code: copy_code!, ...places[launches.length + i]!, extent, threads: team.threads }));
    this.#before = copying.slice(0, before.length);
    this.#after = copying.slice(before.length);
    return success(undefined);
  }

  #download(): ArrayBuffer {
    const all = new Uint8Array(outputBytes(this.spec)), places = this.#ports?.outputs ?? [];
    let at = 0;
    for (const [i, { bytes }] of this.spec.outputs.entries()) {
      all.set(this.context.memory.bytes(places[i]!, bytes), at);
      at += bytes;
    }
    return all.buffer;
  }

  #guarded<T>(work: () => Attempt<T>): Attempt<T> {
    try {
      return work();
    } catch (error) {
      return error instanceof RangeError ? failure('out_of_memory', describe(error)) : failure('validation_error', `a kernel trapped: ${describe(error)}`);
    }
  }

  dispose(): void {
    for (const block of this.#blocks) this.context.memory.free(block);
    this.#ports?.dispose();
    this.#args?.dispose();
    for (const code of this.codes) this.context.team.remove(code);
  }
}
