// Runs a whole model: its kernels and buffers once, then each run as the inputs written, every launch, the outputs read.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import { checkLoops, piecesOf } from '../../../../browser-runtime/src/plan/loops.ts';
import type { ModelSpec } from '../backend.ts';
import { whollyWritten, type OpenModel, type Run } from '../timed_runs.ts';
import { bindPrograms, unbindPrograms, type Programs } from './programs.ts';
import type { Call, Runner } from './runner.ts';

export async function openModel(runner: Runner, poison_bits: number, plan: ModelSpec): Promise<Attempt<OpenModel>> {
  const model = new Model(runner, poison_bits, plan), bound = await model.bind();
  if (bound.ok) return success(model);
  model.dispose();
  return bound;
}

// The plan's buffers and launches. What is computed begins as poison: a launch that reads what nobody wrote shows in the outputs.
class Model implements OpenModel {
  readonly has_device_clock = true;
  readonly #runner: Runner;
  readonly #poison_bits: number;
  readonly #plan: ModelSpec;
  readonly #buffers: number[] = [];
  readonly #kernels: number[] = [];
  #programs: Programs = { all: 0, repeated: 0 };
  readonly #parts = new Map<string, number>();   // programs of rows of launches, where loops cut the plan into several
  #is_first = true;   // the run to come

  constructor(runner: Runner, poison_bits: number, plan: ModelSpec) {
    this.#runner = runner;
    this.#poison_bits = poison_bits;
    this.#plan = plan;
  }

  async bind(): Promise<Attempt<void>> {
    const fits = checkLoops(this.#plan);
    if (!fits.ok) return fits;
    for (const [position, bytes] of this.#plan.buffers.entries()) {
      const made = await this.#runner.make(bytes, this.#poison_bits, this.#plan.textures[position]);
      if (!made.ok) return made;
      this.#buffers.push(made.value);
    }
    for (const { code } of this.#plan.kernels) {
      const built = await this.#runner.build(new Uint8Array(code));
      if (!built.ok) return built;
      this.#kernels.push(built.value.kernel);
    }
    const programs = await bindPrograms(this.#runner, this.#calls());
    if (!programs.ok) return programs;
    this.#programs = programs.value;
    return this.#upload(this.#plan.constants);
  }

  // A run whose outputs are looked at.
  async first(): Promise<Attempt<Run>> {
    const run = await this.once();
    if (!run.ok) return run;
    const finding = await this.#runner.inspect(this.#programs.all);
    if (!finding.ok) return finding;
    if (finding.value !== '') return failure('wrong_output', `a kernel ${finding.value}`);
    return whollyWritten(run, this.#poison_bits);
  }

  async once(): Promise<Attempt<Run>> {
    const started = performance.now();
    const uploaded = await this.#upload(this.#plan.inputs);
    if (!uploaded.ok) return uploaded;
    const ran = this.#plan.loops.length === 0 ? await this.#runner.run(this.#is_first ? this.#programs.all : this.#programs.repeated, 1) : await this.#runPieces();
    if (!ran.ok) return ran;
    this.#is_first = false;
    const outputs = await this.#download();
    return outputs.ok ? success({ outputs: outputs.value, run_ms: performance.now() - started, kernel_ms: ran.value / 1e6 }) : outputs;
  }

  // Nanoseconds of all launches.
  async #runPieces(): Promise<Attempt<number>> {
    const pieces = piecesOf(this.#plan);
    let total_ns = 0;
    for (let next = pieces.next(); next.done !== true;) {
      if ('condition' in next.value) {
        const word = await this.#runner.read(this.#buffers[next.value.condition] ?? 0, 4);
        if (!word.ok) return word;
        next = pieces.next(word.value.some(byte => byte !== 0));
        continue;
      }
      const ns = await this.#runPart(next.value.first, next.value.last);
      if (!ns.ok) return ns;
      total_ns += ns.value;
      next = pieces.next(false);
    }
    return success(total_ns);
  }

  async #runPart(first: number, last: number): Promise<Attempt<number>> {
    const name = `${first} ${last} ${this.#is_first}`, calls = this.#calls().slice(first, last).filter(({ ahead }) => this.#is_first || ahead !== true);
    if (calls.length === 0) return success(0);
    let program = this.#parts.get(name);
    if (program === undefined) {
      const bound = await this.#runner.bind(calls);
      if (!bound.ok) return bound;
      this.#parts.set(name, program = bound.value);
    }
    return this.#runner.run(program, 1);
  }

  settle(): Promise<Attempt<number>> {
    return this.#runner.settle(this.#programs.repeated);
  }

  async timeLaunch(launch: number, times: number): Promise<Attempt<number>> {
    const program = await this.#runner.bind(this.#calls().slice(launch, launch + 1));
    if (!program.ok) return program;
    const settled = await this.#runner.settle(program.value);
    const ns = settled.ok ? await this.#runner.run(program.value, times) : settled;
    this.#runner.unbind(program.value);
    return ns;
  }

  // Positions that do not exist become ids that do not: the runner refuses them.
  #calls(): Call[] {
    const { kernels, launches } = this.#plan;
    return launches.map(({ kernel, buffers, grid, binding_bytes, ahead }) => ({
      kernel: this.#kernels[kernel] ?? 0, buffers: buffers.map(position => this.#buffers[position] ?? 0), writes: kernels[kernel]?.bindings.map(({ writes }) => writes) ?? [], bytes: binding_bytes, grid, ahead,
    }));
  }

  async #upload(contents: ModelSpec['inputs']): Promise<Attempt<void>> {
    for (const { buffer, bytes } of contents) {
      const written = await this.#runner.write(this.#buffers[buffer] ?? 0, new Uint8Array(bytes));
      if (!written.ok) return written;
    }
    return success(undefined);
  }

  async #download(): Promise<Attempt<ArrayBuffer>> {
    const { outputs } = this.#plan;
    const all = new Uint8Array(outputs.reduce((sum, { bytes }) => sum + bytes, 0));
    let at = 0;
    for (const { buffer, bytes } of outputs) {
      const content = await this.#runner.read(this.#buffers[buffer] ?? 0, bytes);
      if (!content.ok) return content;
      all.set(content.value, at);
      at += bytes;
    }
    return success(all.buffer);
  }

  dispose(): void {
    unbindPrograms(this.#runner, this.#programs);
    for (const program of this.#parts.values()) this.#runner.unbind(program);
    for (const kernel of this.#kernels) this.#runner.drop(kernel);
    for (const buffer of this.#buffers) this.#runner.free(buffer);
  }
}
