// A program's calls on copies of their buffers, in turns (core/rotation.ts).
import type { Copies } from '../../core/copy_pool.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { rotatingBuffers, setsOf, type Rotation } from '../../core/rotation.ts';
import type { TimedKernel } from '../backend.ts';
import type { Candidate } from '../../generated/protocol.ts';
import type { TaskBuffers } from './buffers.ts';
import { checkedRun } from './checked_run.ts';
import type { Call, Runner } from './runner.ts';

export interface Turning {
  readonly runner: Runner;
  readonly buffers: TaskBuffers;
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
    const rotating = rotatingBuffers(candidate, buffers.all, rotation), sets = setsOf(rotation, rotating, buffers.copies.copies_max);
    if (sets === 1) return success(itself);
    const copies = await this.#copiesOf(rotating, sets);
    if (!copies.ok) return copies;
    const turns = await runner.turns(program, this.#rows(copies.value, sets), rotation.of === 'constants');
    if (!turns.ok) return turns;
    this.#programs.push(turns.value);
    return success(this.#timed(turns.value, copies.value, sets));
  }

  // The runner takes the sets in their order, from the first on.
  #timed(turns: number, copies: ReadonlyMap<number, readonly number[]>, sets: number): TimedKernel {
    const { runner, buffers, program } = this.#parts;
    let executed = 0;
    return {
      time: repeats => {
        executed += repeats;
        return runner.run(turns, repeats);
      },
      recheck: repeats => {
        executed += repeats;
        const last = (executed - 1) % sets;
        return checkedRun({ runner, buffers, program: turns, inspected: program }, repeats, buffer => inSet(copies, last, buffer));
      },
    };
  }

  // By the buffer that they are copies of.
  async #copiesOf(rotating: ReturnType<typeof rotatingBuffers>, sets: number): Promise<Attempt<ReadonlyMap<number, readonly number[]>>> {
    const { runner, buffers, candidate, bufferOf } = this.#parts, found = new Map<number, readonly number[]>();
    for (const { kind, position, bytes, label } of rotating) {
      const source = bufferOf(kind, position);
      if (source === undefined) continue;
      const own_label = kind === 'arg' ? label : `${label} of ${candidate.trial}`;
      const made = await buffers.copies.take({ task: buffers, label: `${own_label} ${bytes}`, bytes, count: sets - 1 }, () => runner.copies(source, sets - 1));
      if (!made.ok) return made;
      this.#copies.push(made.value);
      found.set(source, made.value.content);
    }
    return success(found);
  }

  // The calls once for each set of buffers.
  #rows(copies: ReadonlyMap<number, readonly number[]>, sets: number): Call[][] {
    return Array.from({ length: sets }, (_, set) => this.#parts.calls.map(call => ({ ...call, buffers: call.buffers.map(buffer => inSet(copies, set, buffer)) })));
  }

  dispose(): void {
    for (const program of this.#programs) this.#parts.runner.unbind(program);
    for (const copies of this.#copies) copies.release();
  }
}

// Set 0 is the candidate's own.
function inSet(copies: ReadonlyMap<number, readonly number[]>, set: number, buffer: number): number {
  return copies.get(buffer)?.[set - 1] ?? buffer;
}
