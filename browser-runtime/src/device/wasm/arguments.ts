// Arguments: what the launches of a candidate or a model are called with: for each an array of its buffers' addresses and, where its code
// wants scratch memory, that address behind them. Scratch is a thread's own, and so is then the array.
import { borderFindings, type Block, type KernelMemory } from './kernel_memory.ts';

const cache_line_bytes = 64;     // scratch of two threads on one line would slow both down

export interface Called {
  addresses: readonly number[];
  scratch_bytes: number;
}

export interface ArgumentPlace {
  args: number;                  // of the leader
  args_stride: number;           // thread t's lie t times so many bytes behind
}

export class Arguments {
  readonly places: readonly ArgumentPlace[];
  readonly #memory: KernelMemory;
  readonly #arrays: Block;
  readonly #scratch: Block | undefined;

  // Throws RangeError when there is no memory left.
  constructor(memory: KernelMemory, threads: number, launches: readonly Called[]) {
    const scratch_bytes = Math.ceil(Math.max(0, ...launches.map(launch => launch.scratch_bytes)) / cache_line_bytes) * cache_line_bytes;
    const words: number[] = [], places: { offset: number; args_stride: number }[] = [];
    this.#memory = memory;
    this.#scratch = scratch_bytes === 0 ? undefined : memory.allocate(scratch_bytes * threads);
    for (const launch of launches) {
      const offset = words.length * 4;
      if (launch.scratch_bytes === 0) {
        words.push(...launch.addresses);
        places.push({ offset, args_stride: 0 });
        continue;
      }
      const scratch_at = this.#scratch?.at ?? 0;
      for (let thread = 0; thread < threads; thread++) words.push(...launch.addresses, scratch_at + thread * scratch_bytes);
      places.push({ offset, args_stride: (launch.addresses.length + 1) * 4 });
    }
    this.#arrays = memory.allocate(words.length * 4);
    memory.words(this.#arrays).set(words);
    this.places = places.map(({ offset, args_stride }) => ({ args: this.#arrays.at + offset, args_stride }));
  }

  // What a kernel wrote beside them, in words.
  findings(): string[] {
    const scratch = this.#scratch === undefined ? [] : borderFindings(this.#memory, this.#scratch, 'its scratch memory');
    return [...borderFindings(this.#memory, this.#arrays, 'its arguments'), ...scratch];
  }

  dispose(): void {
    this.#memory.free(this.#arrays);
    if (this.#scratch !== undefined) this.#memory.free(this.#scratch);
  }
}
