// KernelMemory: the WebAssembly memory that kernels run on. It is not the runtime's: a kernel that writes where it should not can spoil
// neither the reference nor the comparison. Each block lies between borders of poison, by which such a write is found; nothing but blocks
// and borders lies here, so that all that a bad kernel spoiled can be made good again.
// Without poison (a package's kernels are trusted) the memory begins as zeros and the borders hold anything.
// With threads the memory is shared between the workers.
const page_bytes = 65_536;
const alignment = 16;
const border_bytes = 64;                          // before and behind; the kernels' spare 16 bytes are the beginning of the one behind
export const reach_bytes = 16 << 20;              // of memory before the first and behind the last block: reads whose values are dropped may lie there. Nobody touches it, so it costs nothing
const pages_max_choices = [32_768, 16_384, 4096]; // 2 GiB, so that pointers are positive; a browser with less address space gives less

export interface Block {
  readonly at: number;                            // address; a multiple of 16
  readonly bytes: number;                         // a multiple of 16
}

export class KernelMemory {
  readonly memory: WebAssembly.Memory;
  readonly bytes_max: number;
  incidents = 0;                                  // kernels that may have written anywhere, so far: whoever has content here looks after it
  readonly #poison_bits: number | undefined;
  #blocks: Block[] = [];                          // ascending

  private constructor(memory: WebAssembly.Memory, pages_max: number, poison_bits: number | undefined) {
    this.memory = memory;
    this.bytes_max = pages_max * page_bytes;
    this.#poison_bits = poison_bits;
  }

  // Throws RangeError when the browser gives no memory at all.
  static make({ shared, poison_bits }: { shared: boolean; poison_bits?: number }): KernelMemory {
    let refused: unknown;
    for (const maximum of pages_max_choices) {
      try {
        return new KernelMemory(new WebAssembly.Memory({ initial: 1, maximum, shared }), maximum, poison_bits);
      } catch (error) {
        refused = error;
      }
    }
    throw refused;
  }

  // A block that holds poison, where there is poison. Throws RangeError when there is no memory left.
  allocate(bytes: number): Block {
    const size = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    let end = reach_bytes;
    let position = 0;
    for (; position < this.#blocks.length; position++) {
      const next = this.#blocks[position]!;
      if (end + border_bytes + size + border_bytes <= next.at - border_bytes) break;
      end = next.at + next.bytes + border_bytes;
    }
    const block = { at: end + border_bytes, bytes: size };
    this.#reach(block.at + size + reach_bytes);
    this.#blocks.splice(position, 0, block);
    if (this.#poison_bits !== undefined) this.#wordsAt(block.at - border_bytes, size + 2 * border_bytes).fill(this.#poison_bits);
    return block;
  }

  free(block: Block): void {
    this.#blocks = this.#blocks.filter(other => other !== block);
  }

  // Views die when the memory grows: use them at once.
  bytes(block: Block, length = block.bytes): Uint8Array {
    return new Uint8Array(this.memory.buffer, block.at, length);
  }

  words(block: Block): Uint32Array {
    return this.#wordsAt(block.at, block.bytes);
  }

  poison(block: Block): void {
    if (this.#poison_bits !== undefined) this.words(block).fill(this.#poison_bits);
  }

  // Words of the borders that are no poison any more, before and behind the block; afterwards they are.
  mendBorders(block: Block): { before: number; behind: number } {
    const bits = this.#poison_bits;
    const mend = (at: number): number => {
      if (bits === undefined) return 0;
      const words = this.#wordsAt(at, border_bytes);
      const spoiled = words.reduce((count, word) => count + (word === bits ? 0 : 1), 0);
      if (spoiled > 0) words.fill(bits);
      return spoiled;
    };
    const spoiled = { before: mend(block.at - border_bytes), behind: mend(block.at + block.bytes) };
    if (spoiled.before + spoiled.behind > 0) this.incidents++;
    return spoiled;
  }

  #wordsAt(at: number, bytes: number): Uint32Array {
    return new Uint32Array(this.memory.buffer, at, bytes / 4);
  }

  #reach(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / page_bytes));
  }
}

// A sum that changes when a word does, in its place.
export function digest(words: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i]!, 0x01000193);
  return sum;
}

// Words of a kernel that wrote beside a block; the borders are mended.
export function borderFindings(memory: KernelMemory, block: Block, name: string): string[] {
  const { before, behind } = memory.mendBorders(block);
  return [...(before > 0 ? [`wrote before ${name}`] : []), ...(behind > 0 ? [`wrote behind ${name}`] : [])];
}
