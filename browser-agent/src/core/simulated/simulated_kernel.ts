// SimulatedKernel: a candidate's kernel on a SimulatedBackend. Its executions take what the backend says, and from one of them on its output is wrong.
import { success, type Attempt } from '../outcome.ts';
import { credibleNs, saidNs, type Reading } from '../reading.ts';
import { rotatingBuffers, setsOf, type RotatingBuffer, type Rotation } from '../rotation.ts';
import type { CheckReport, Comparison, Kernel, TimedKernel } from '../../device/backend.ts';
import type { Buffer, Candidate } from '../../generated/protocol.ts';

export interface KernelTraits {
  readonly candidate: Candidate;
  readonly buffers: readonly Buffer[];           // of the task
  readonly each_ns: number;                      // one execution, what comes from memory aside
  readonly right_for: number;                    // executions, until its output is wrong
  readonly compiles_late: boolean;
  memoryNs(buffers: readonly RotatingBuffer[], nameOf: (buffer: RotatingBuffer) => string): number;
  read(work_ns: number): Reading;
}

type NameOf = (buffer: RotatingBuffer, execution: number) => string;

export class SimulatedKernel implements Kernel {
  readonly create_ms = 0;
  readonly compiles_late: boolean;
  readonly #traits: KernelTraits;
  readonly #touched: readonly RotatingBuffer[];
  readonly #own: NameOf;
  #executed = 0;

  constructor(traits: KernelTraits) {
    const { candidate, buffers, compiles_late } = traits;
    this.compiles_late = compiles_late;
    this.#traits = traits;
    this.#touched = rotatingBuffers(candidate, buffers, { of: 'all', bytes: 0 });
    this.#own = ({ kind, position }) => `${kind === 'arg' ? 'task' : candidate.trial} ${kind} ${position}`;
  }

  async check(): Promise<Attempt<CheckReport>> {
    return success(this.#checked(this.#own, 1));
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.#timed(this.#own).time(repeats);
  }

  recheck(repeats: number): Promise<Attempt<Comparison>> {
    return this.#timed(this.#own).recheck(repeats);
  }

  async rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    const { candidate, buffers } = this.#traits;
    const rotating = rotatingBuffers(candidate, buffers, rotation), sets = setsOf(rotation, rotating), labels = new Set(rotating.map(({ label }) => label));
    return success(this.#timed((buffer, execution) => `${this.#own(buffer, execution)} ${labels.has(buffer.label) ? execution % sets : 0}`));
  }

  dispose(): void {}

  #timed(nameOf: NameOf): TimedKernel {
    const { read } = this.#traits;
    return {
      time: repeats => {
        const work_ns = this.#workNs(nameOf, repeats);
        return credibleNs(() => Promise.resolve(read(work_ns)));
      },
      recheck: async repeats => success(this.#checked(nameOf, repeats)),
    };
  }

  #workNs(nameOf: NameOf, repeats: number): number {
    const { each_ns, memoryNs } = this.#traits, first = this.#executed;
    this.#executed += repeats;
    if (this.#touched.length === 0) return each_ns * repeats;
    const each = Array.from({ length: repeats }, (_, run) => each_ns + memoryNs(this.#touched, buffer => nameOf(buffer, first + run)));
    return each.reduce((sum, ns) => sum + ns, 0);
  }

  #checked(nameOf: NameOf, repeats: number): CheckReport {
    const first_ns = saidNs(this.#traits.read(this.#workNs(nameOf, repeats))), right = this.#executed <= this.#traits.right_for;
    return { max_error: right ? 0 : 1, unwritten: 0, finding: right ? '' : 'all of it', first_ns };
  }
}
