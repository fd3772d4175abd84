// Tasks with several sets of inputs. Their kernels are built, checked and timed on the first; once the output is right there, each of the others is
// tried: a small result tells little, a maximum for instance nothing of the elements that are less. The others are made when a kernel comes so far, and
// stay for the kernels of the tasks that were checked last: those of all the small tasks of a model are thousands of buffers. Kernels are checked one
// after another.
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';
import type { Modules } from './measure_modules.ts';
import type { Rotation } from './rotation.ts';
import type { Backend, CheckReport, Comparison, Kernel, PreparedTask, TaskSpec, TimedKernel } from '../device/backend.ts';
import type { Candidate } from '../generated/protocol.ts';

const tasks_max = 8;   // whose other sets stay; the candidates of a batch are of fewer tasks

export class InputSets {
  readonly #tasks = new Set<TaskOnSets>();   // that have their other sets, the one that was checked last behind

  constructor(private readonly backend: Pick<Backend, 'prepare'>) {}

  async prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const first = await this.backend.prepare(spec);
    return first.ok && (spec.more_inputs ?? []).length > 0 ? success(new TaskOnSets(first.value, spec, this)) : first;
  }

  // All or none.
  async make(task: TaskOnSets, spec: TaskSpec): Promise<Attempt<PreparedTask[]>> {
    this.touch(task);
    const made: PreparedTask[] = [];
    for (const inputs of spec.more_inputs ?? []) {
      const other = await this.backend.prepare({ ...spec, ...inputs });
      if (!other.ok) {
        disposeAll(made);
        return other;
      }
      made.push(other.value);
    }
    return success(made);
  }

  touch(task: TaskOnSets): void {
    this.#tasks.delete(task);
    this.#tasks.add(task);
    for (const other of [...this.#tasks].slice(0, -tasks_max)) other.release();
  }

  forget(task: TaskOnSets): void {
    this.#tasks.delete(task);
  }
}

function disposeAll(tasks: readonly PreparedTask[]): void {
  for (const task of tasks) task.dispose();
}

class TaskOnSets implements PreparedTask {
  readonly sets: number;
  #others: PreparedTask[] = [];

  constructor(private readonly first: PreparedTask, private readonly spec: TaskSpec, private readonly keeper: InputSets) {
    this.sets = 1 + (spec.more_inputs ?? []).length;
  }

  get tolerance(): number {
    return this.first.tolerance;
  }

  async build(candidate: Candidate, modules: Modules): Promise<Attempt<Kernel>> {
    const built = await this.first.build(candidate, modules);
    return built.ok ? success(new KernelOnSets(built.value, this)) : built;
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return this.first.check(kernel);
  }

  // Beside the first.
  async others(): Promise<Attempt<readonly PreparedTask[]>> {
    if (this.#others.length > 0) {
      this.keeper.touch(this);
      return success(this.#others);
    }
    const made = await this.keeper.make(this, this.spec);
    if (made.ok) this.#others = made.value;
    else this.keeper.forget(this);
    return made;
  }

  release(): void {
    this.keeper.forget(this);
    disposeAll(this.#others);
    this.#others = [];
  }

  dispose(): void {
    this.release();
    this.first.dispose();
  }
}

class KernelOnSets implements Kernel {
  constructor(private readonly kernel: Kernel, private readonly task: TaskOnSets) {}

  get create_ms(): number {
    return this.kernel.create_ms;
  }

  get compiles_late(): boolean {
    return this.kernel.compiles_late;
  }

  // The first set that it is wrong on is the last.
  async check(): Promise<Attempt<CheckReport>> {
    const checked = await this.kernel.check();
    if (!checked.ok || !this.#isRight(checked.value)) return checked;
    const worst = { ...checked.value }, others = await this.task.others();
    if (!others.ok) return others;
    for (const [i, task] of others.value.entries()) {
      const found = await task.check(this.kernel);
      if (!found.ok) return found;
      const { max_error, unwritten, finding } = found.value;
      if (max_error > worst.max_error || unwritten > 0) Object.assign(worst, { max_error, unwritten, finding: `${finding}, on inputs ${i + 2} of ${this.task.sets}` });
      if (!this.#isRight(worst)) break;
    }
    return success(worst);
  }

  #isRight({ max_error, unwritten }: Comparison): boolean {
    return unwritten === 0 && max_error <= this.task.tolerance;
  }

  time(repeats: number): Promise<Attempt<number>> {
    return this.kernel.time(repeats);
  }

  recheck(repeats: number): Promise<Attempt<Comparison>> {
    return this.kernel.recheck(repeats);
  }

  rotating(rotation: Rotation): Promise<Attempt<TimedKernel>> {
    return this.kernel.rotating(rotation);
  }

  dispose(again?: boolean): void {
    this.kernel.dispose(again);
  }
}
