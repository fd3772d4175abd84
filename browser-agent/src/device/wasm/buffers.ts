// The buffers of a task in the kernels' memory.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { TensorRuntime } from '../tensor_runtime.ts';
import type { CheckReport, TaskSpec } from '../backend.ts';
import type { ArgLayout, Buffer } from '../../generated/protocol.ts';
import { makePacked, makeTensors, type TaskTensor } from '../task_tensor.ts';
import { borderFindings, digest, type Block, type KernelMemory } from '../../../../browser-runtime/src/device/wasm/kernel_memory.ts';

interface Held {
  tensor: TaskTensor;
  block: Block;
  digest: number;                // of an input's content
}

// Where an argument lies: in its own block, or in a copy of that.
export type PlaceOf = (position: number, block: Block) => Block;
const own: PlaceOf = (_, block) => block;

export class TaskBuffers {
  readonly #memory: KernelMemory;
  readonly #runtime: TensorRuntime;
  #spec: TaskSpec | undefined;
  #tensors: TaskTensor[] = [];
  #held: Held[] = [];
  #incidents = 0;                // those of the memory when all was last found well

  constructor(memory: KernelMemory, runtime: TensorRuntime) {
    this.#memory = memory;
    this.#runtime = runtime;
  }

  // Throws RangeError when there is no memory left.
  make(spec: TaskSpec): Attempt<void> {
    const tensors = makeTensors(this.#runtime, spec);
    if (!tensors.ok) return tensors;
    this.#spec = spec;
    this.#tensors = tensors.value;
    for (const [position, tensor] of tensors.value.entries()) {
      const block = this.#memory.allocate(Math.max(tensor.bytes, spec.buffers[position]?.bytes ?? 0));
      this.#held.push({ tensor, block, digest: 0 });
    }
    for (const held of this.#held) this.#fill(held);
    this.#incidents = this.#memory.incidents;
    return success(undefined);
  }

  get all(): readonly Buffer[] {
    return this.#spec?.buffers ?? [];
  }

  at(position: number): { name: string; block: Block } | undefined {
    const held = this.#held[position];
    return held === undefined ? undefined : { name: held.tensor.name, block: held.block };
  }

  // An input once more, in the layout that a candidate wants; the caller frees it. Throws RangeError when there is no memory left.
  packed(layout: ArgLayout): Attempt<Block> {
    const tensor = makePacked(this.#runtime, this.#spec?.buffers ?? [], layout);
    if (!tensor.ok) return tensor;
    const block = this.#memory.allocate(Math.max(tensor.value.bytes, layout.bytes));
    tensor.value.fill(content => this.#memory.bytes(block).set(content));
    tensor.value.dispose();
    return success(block);
  }

  // Outputs hold poison afterwards, inputs what belongs there.
  reset(placeOf: PlaceOf = own): void {
    if (this.#incidents !== this.#memory.incidents) this.inspect();
    for (const [position, { tensor, block }] of this.#held.entries()) if (tensor.is_output) this.#memory.poison(placeOf(position, block));
  }

  // What a kernel wrote that was not its own to write, in words, else empty; it is made good.
  inspect(): string {
    const findings: string[] = [];
    for (const held of this.#held) {
      findings.push(...borderFindings(this.#memory, held.block, held.tensor.name));
      if (held.tensor.is_output || digest(this.#memory.words(held.block)) === held.digest) continue;
      findings.push(`changed the input ${held.tensor.name}`);
      this.#memory.incidents++;
      this.#fill(held);
    }
    this.#incidents = this.#memory.incidents;
    return findings.join(', ');
  }

  compare(report: CheckReport, placeOf: PlaceOf = own): void {
    for (const [position, { tensor, block }] of this.#held.entries()) {
      if (tensor.is_output) tensor.compare(this.#memory.bytes(placeOf(position, block), tensor.bytes), report);
    }
  }

  #fill(held: Held): void {
    if (held.tensor.is_output) return;
    this.#memory.poison(held.block);
    held.tensor.fill(content => this.#memory.bytes(held.block).set(content));
    held.digest = digest(this.#memory.words(held.block));
  }

  dispose(): void {
    for (const { block } of this.#held) this.#memory.free(block);
    for (const tensor of this.#tensors) tensor.dispose();
    this.#held = [];
    this.#tensors = [];
  }
}
