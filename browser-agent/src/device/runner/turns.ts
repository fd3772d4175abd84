// A program's calls on copies of their buffers, in turns (core/rotation.ts).
import type { CopyPool, Copies } from '../../core/copy_pool.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { rotatingBuffers, setsOf, type Rotation } from '../../core/rotation.ts';
import type { TimedKernel } from '../backend.ts';
import type { Buffer, Candidate } from '../../generated/protocol.ts';
import type { Call, Runner } from './runner.ts';

export interface Turning {
  readonly runner: Runner;
  readonly copies: CopyPool<number[]>;
  readonly buffers: readonly Buffer[];           // of the task
  readonly candidate: Candidate;
  readonly program: number;
  readonly calls: readonly Call[];               // of the program
  bufferOf(kind: 'arg' | 'temp', position: number): number | undefined;   // undefined: it is the runner's own
}

export class Turns {
  readonly #parts: Turning;
  readonly #copies: Copies<number[]>[] = [];
  readonly #programs: number[] = [];

  constructor(parts: Turning) {
    this.#parts = parts;
  }

  async rotating(rotation: Rotation, itself: TimedKernel): Promise<Attempt<TimedKernel>> {
    const { runner, candidate, buffers, program } = this.#parts;
    const rotating = rotatingBuffers(candidate, buffers, rotation), sets = setsOf(rotation, rotating);
    if (sets === 1) return success(itself);
    const rows = await this.#rows(rotating, sets);
    const turns = rows.ok ? await runner.turns(program, rows.value, rotation.of === 'constants') : rows;
    if (!turns.ok) return turns;
    this.#programs.push(turns.value);
    return success({ time: repeats => runner.run(turns.value, repeats) });
  }

  // The calls once for each set of buffers; the first is the candidate's own.
  async #rows(rotating: ReturnType<typeof rotatingBuffers>, sets: number): Promise<Attempt<Call[][]>> {
    const { runner, copies, calls, candidate, bufferOf } = this.#parts, others = new Map<number, readonly number[]>();
    for (const { kind, position, bytes, label } of rotating) {
      const source = bufferOf(kind, position);
      if (source === undefined) continue;
      const own_label = kind === 'arg' ? label : `${label} of ${candidate.trial}`;
      const made = await copies.take(`${own_label} ${bytes}`, bytes, sets - 1, () => runner.copies(source, sets - 1));
      if (!made.ok) return made;
      this.#copies.push(made.value);
      others.set(source, made.value.content);
    }
    const inSet = (set: number) => calls.map(call => ({ ...call, buffers: call.buffers.map(buffer => others.get(buffer)?.[set - 1] ?? buffer) }));
    return success(Array.from({ length: sets }, (_, set) => (set === 0 ? [...calls] : inSet(set))));
  }

  dispose(): void {
    for (const program of this.#programs) this.#parts.runner.unbind(program);
    for (const copies of this.#copies) copies.release();
  }
}
