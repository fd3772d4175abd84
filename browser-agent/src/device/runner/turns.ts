// A program's calls on copies of their buffers, in turns (core/rotation.ts).
import type { Copies } from '../../core/copy_pool.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { CopyPool } from '../../core/copy_pool.ts';
import { rotatingBuffers, setsOf, type RotatingBuffer, type Rotation } from '../../core/rotation.ts';
import type { Comparison, TimedKernel } from '../backend.ts';
import type { Binding, Buffer, Candidate, Texture } from '../../generated/protocol.ts';
import { shapeKey } from '../texture_shape.ts';
import { textureBytes } from '../../../../browser-runtime/src/device/texture_bytes.ts';
import type { StandIn } from './buffers.ts';
import type { Call, Runner } from './runner.ts';

// A buffer in the runner, and which texture it is, where kernels read textures.
export interface Source {
  readonly buffer: number;
  readonly texture?: Texture;
}

export function sourced(buffer: number | undefined): Source | undefined {
  return buffer === undefined ? undefined : { buffer };
}

export interface Turning {
  readonly runner: Runner;
  readonly task: { readonly all: readonly Buffer[]; readonly copies: CopyPool<number[]> };   // the device's copies, of which the task's end with it
  readonly candidate: Candidate;
  readonly program: number;
  readonly calls: readonly Call[];               // of the program
  sourceOf(kind: Binding['kind'], position: number): Source | undefined;   // undefined: it is the runner's own
  // Poisons what stands for the outputs, runs the program, and compares that.
  compared(program: number, repeats: number, standIn: StandIn): Promise<Attempt<Comparison>>;
}

export class Turns {
  readonly #parts: Turning;
  readonly #copies: Copies<number[]>[] = [];
  readonly #programs: number[] = [];

  constructor(parts: Turning) {
    this.#parts = parts;
  }

  async rotating(rotation: Rotation, itself: TimedKernel): Promise<Attempt<TimedKernel>> {
    const { runner, task, program } = this.#parts;
    const rotating = this.#rotating(rotation), sets = setsOf(rotation, rotating, task.copies.copies_max);
    if (sets === 1) return success(itself);
    const copies = await this.#copiesOf(rotating, sets);
    if (!copies.ok) return copies;
    const turns = await runner.turns(program, this.#rows(copies.value, sets), rotation.of === 'constants');
    if (!turns.ok) return turns;
    this.#programs.push(turns.value);
    return success(this.#timed(turns.value, copies.value, sets));
  }

  // Copies of textures have their shape, and scratch memory is a candidate's own.
  #rotating(rotation: Rotation): RotatingBuffer[] {
    const { candidate, task, sourceOf } = this.#parts;
    return rotatingBuffers(candidate, task.all, rotation).map(one => {
      const { texture } = sourceOf(one.kind, one.position) ?? {}, bytes = texture === undefined ? one.bytes : textureBytes(texture);
      const label = `${one.label} ${one.kind === 'temp' ? `of ${candidate.trial}` : ''} ${texture === undefined ? bytes : shapeKey(texture)}`;
      return { ...one, bytes, label };
    });
  }

  // The runner takes the sets in their order, from the first on.
  #timed(turns: number, copies: ReadonlyMap<number, readonly number[]>, sets: number): TimedKernel {
    const { runner, compared } = this.#parts;
    let executed = 0;
    return {
      time: repeats => {
        executed += repeats;
        return runner.run(turns, repeats);
      },
      recheck: repeats => {
        executed += repeats;
        const last = (executed - 1) % sets;
        return compared(turns, repeats, buffer => inSet(copies, last, buffer));
      },
    };
  }

  // By the buffer that they are copies of.
  async #copiesOf(rotating: readonly RotatingBuffer[], sets: number): Promise<Attempt<ReadonlyMap<number, readonly number[]>>> {
    const { runner, task, sourceOf } = this.#parts, found = new Map<number, readonly number[]>();
    for (const { kind, position, bytes, label } of rotating) {
      const source = sourceOf(kind, position)?.buffer;
      if (source === undefined) continue;
      const made = await task.copies.take({ task, label, bytes, count: sets - 1 }, () => runner.copies(source, sets - 1));
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
