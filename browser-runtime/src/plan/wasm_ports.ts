// WasmPorts: where a plan's inputs are put and its outputs taken from in WebAssembly memory: in the kernels' buffers, or in memory of their own where they come
// or go in row-major order; and what brings them from there to the buffers and back.
import type { Block, KernelMemory } from '../device/wasm/kernel_memory.ts';
import { packLaunch, unpackLaunch, type CopyLaunch } from './copy_rows.ts';
import type { PlanSpec } from './plan.ts';

export class WasmPorts {
  readonly before: readonly CopyLaunch[];
  readonly after: readonly CopyLaunch[];
  readonly outputs: readonly Block[];               // each output's place
  readonly #inputs = new Map<number, Block>();      // by buffer
  readonly #own: Block[] = [];

  // buffers: of the plan; those that its inputs and outputs name are there. Throws RangeError when there is no memory left.
  constructor(private readonly memory: KernelMemory, { inputs_row_major = [], outputs }: PlanSpec, private readonly buffers: readonly Block[]) {
    this.before = inputs_row_major.flatMap(({ buffer, bytes, blocks }) => {
      const place = this.#allocate(bytes), ends = { row_major: place.at, held: buffers[buffer]!.at };
      this.#inputs.set(buffer, place);
      return blocks.map(block => packLaunch(block, ends));
    });
    const taken = outputs.map(({ buffer, row_major }) => ({ held: buffers[buffer]!, row_major, place: row_major === undefined ? buffers[buffer]! : this.#allocate(row_major.bytes) }));
    this.outputs = taken.map(({ place }) => place);
    this.after = taken.flatMap(({ held, row_major, place }) => (row_major?.blocks ?? []).map(block => unpackLaunch(block, { row_major: place.at, held: held.at })));
  }

  // Where the content of this buffer is put.
  input(buffer: number): Block | undefined {
    return this.#inputs.get(buffer) ?? this.buffers[buffer];
  }

  dispose(): void {
    for (const block of this.#own) this.memory.free(block);
  }

  #allocate(bytes: number): Block {
    const block = this.memory.allocate(bytes);
    this.#own.push(block);
    return block;
  }
}
