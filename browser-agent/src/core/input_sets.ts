// A task with several sets of inputs. Its kernels are built, checked and timed on the first; once their output is right there, each of the others is
// tried: a small result tells little, a maximum for instance nothing of the elements that are less.
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';
import type { Modules } from './measure_modules.ts';
import type { Rotation } from './rotation.ts';
import type { Backend, CheckReport, Comparison, Kernel, PreparedTask, TaskSpec, TimedKernel } from '../device/backend.ts';
import type { Candidate } from '../generated/protocol.ts';

// All sets or none.
export async function prepareAll(backend: Pick<Backend, 'prepare'>, spec: TaskSpec): Promise<Attempt<PreparedTask>> {
  const first = await backend.prepare(spec), others: PreparedTask[] = [], { more_inputs = [] } = spec;
  if (!first.ok || more_inputs.length === 0) return first;
  for (const inputs of more_inputs) {
    const other = await backend.prepare({ ...spec, ...inputs });
    if (!other.ok) {
      for (const task of [first.value, ...others]) task.dispose();
      return other;
    }
    others.push(other.value);
  }
  return success(new TaskOnSets(first.value, others));
}

class TaskOnSets implements PreparedTask {
  constructor(private readonly first: PreparedTask, private readonly others: readonly PreparedTask[]) {}

  get tolerance(): number {
    return this.first.tolerance;
  }

  get sets(): number {
    return 1 + this.others.length;
  }

  async build(candidate: Candidate, modules: Modules): Promise<Attempt<Kernel>> {
    const built = await this.first.build(candidate, modules);
    return built.ok ? success(new KernelOnSets(built.value, this.others, this.tolerance)) : built;
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return this.first.check(kernel);
  }

  dispose(): void {
    for (const task of [this.first, ...this.others]) task.dispose();
  }
}

class KernelOnSets implements Kernel {
  constructor(private readonly kernel: Kernel, private readonly others: readonly PreparedTask[], private readonly tolerance: number) {}

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
    const worst = { ...checked.value };
    for (const [i, task] of this.others.entries()) {
      const found = await task.check(this.kernel);
      if (!found.ok) return found;
      const { max_error, unwritten, finding } = found.value;
      if (max_error > worst.max_error || unwritten > 0) Object.assign(worst, { max_error, unwritten, finding: `${finding}, on inputs ${i + 2} of ${this.others.length + 1}` });
      if (!this.#isRight(worst)) break;
    }
    return success(worst);
  }

  #isRight({ max_error, unwritten }: Comparison): boolean {
    return unwritten === 0 && max_error <= this.tolerance;
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

  dispose(): void {
    this.kernel.dispose();
  }
}
