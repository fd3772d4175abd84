// The buffers of a task in the runner.
import type { Attempt } from '../../core/outcome.ts';
import type { CopyPool } from '../../core/copy_pool.ts';
import { success } from '../../core/outcome.ts';
import type { ArgLayout, Buffer } from '../../generated/protocol.ts';
import type { TensorRuntime } from '../tensor_runtime.ts';
import type { CheckReport, TaskSpec } from '../backend.ts';
import { makePacked, makeTensors, type TaskTensor } from '../task_tensor.ts';
import type { Runner } from './runner.ts';

export interface Held {
  readonly tensor: TaskTensor;
  readonly buffer: number;
}

// The buffer that stands for one of the task's, which is a copy of it or itself.
export type StandIn = (buffer: number) => number;
const itself: StandIn = buffer => buffer;

export class TaskBuffers {
  readonly #runner: Runner;
  readonly #runtime: TensorRuntime;
  #spec: TaskSpec | undefined;
  #tensors: TaskTensor[] = [];
  #held: Held[] = [];

  // copies: the device's, of which the task's end with it.
  constructor(runner: Runner, runtime: TensorRuntime, readonly copies: CopyPool<number[]>) {
    this.#runner = runner;
    this.#runtime = runtime;
  }

  async make(spec: TaskSpec): Promise<Attempt<void>> {
    const tensors = makeTensors(this.#runtime, spec);
    if (!tensors.ok) return tensors;
    this.#spec = spec;
    this.#tensors = tensors.value;
    for (const [position, tensor] of tensors.value.entries()) {
      const made = await this.#hold(tensor, spec.buffers[position]?.bytes ?? 0);
      if (!made.ok) return made;
      this.#held.push({ tensor, buffer: made.value });
    }
    return success(undefined);
  }

  get all(): readonly Buffer[] {
    return this.#spec?.buffers ?? [];
  }

  at(position: number): Held | undefined {
    return this.#held[position];
  }

  // An input once more, in the layout that a candidate wants; the caller frees it.
  async packed(layout: ArgLayout): Promise<Attempt<number>> {
    const tensor = makePacked(this.#runtime, this.#spec?.buffers ?? [], layout);
    if (!tensor.ok) return tensor;
    const made = await this.#hold(tensor.value, layout.bytes);
    tensor.value.dispose();
    return made;
  }

  // Outputs hold poison afterwards: the task's own, or those that stand for them.
  async reset(standIn: StandIn = itself): Promise<Attempt<void>> {
    for (const { buffer } of this.#outputs) {
      const poisoned = await this.#runner.poison(standIn(buffer), this.#runtime.poison_bits);
      if (!poisoned.ok) return poisoned;
    }
    return success(undefined);
  }

  // What a program of so many nanoseconds wrote to them.
  async compare(first_ns: number, standIn: StandIn = itself): Promise<Attempt<CheckReport>> {
    const report: CheckReport = { max_error: 0, unwritten: 0, finding: '', first_ns };
    for (const { tensor, buffer } of this.#outputs) {
      const content = await this.#runner.read(standIn(buffer), tensor.bytes);
      if (!content.ok) return content;
      tensor.compare(content.value, report);
    }
    return success(report);
  }

  get #outputs(): Held[] {
    return this.#held.filter(({ tensor }) => tensor.is_output);
  }

  // A buffer with the tensor's content, if it has any.
  async #hold(tensor: TaskTensor, bytes_min: number): Promise<Attempt<number>> {
    const made = await this.#runner.make(Math.max(tensor.bytes, bytes_min), this.#runtime.poison_bits);
    if (!made.ok || tensor.is_output) return made;
    let content = new Uint8Array(0);
    tensor.fill(filled => { content = filled.slice(); });
    const written = await this.#runner.write(made.value, content);
    if (written.ok) return made;
    this.#runner.free(made.value);
    return written;
  }

  dispose(): void {
    this.copies.forget(this);
    for (const { buffer } of this.#held) this.#runner.free(buffer);
    for (const tensor of this.#tensors) tensor.dispose();
    this.#held = [];
    this.#tensors = [];
  }
}
