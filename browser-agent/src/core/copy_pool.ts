// CopyPool: a device's copies of the buffers of its tasks. The candidates of a task share them, because making them takes longer than timing a
// candidate. Sizes are rounded up, so that few differ. The bounds are those of all tasks together: room is made by forgetting what was used longest
// ago and by nobody now.
import type { Attempt } from './outcome.ts';

export interface Copies<C> {
  readonly content: C;           // as many as asked for, or more
  readonly stride: number;       // bytes of each
  release(): void;
}

// task: any object that stands for it.
export interface Wanted {
  readonly task: object;
  readonly label: string;        // of a buffer of the task's, which tells its content
  readonly bytes: number;
  readonly count: number;
}

interface Held<C> {
  readonly task: object;
  readonly key: string;
  readonly content: C;
  readonly count: number;
  readonly bytes: number;
  users: number;
  current: boolean;              // false: it goes with its last user
}

const unused_bytes_max = 192 << 20;
const steps = 8;                 // of an octave
const alignment = 256;           // of each copy: what any device asks of a binding's offset

export class CopyPool<C> {
  readonly copies_max: number;
  readonly #free: (content: C) => void;
  readonly #held = new Set<Held<C>>();   // unused ones in the order in which they were given back
  #bytes = 0;
  #copies = 0;

  // copies_max: of all tasks, beside bytes; more of them are there only while candidates that are timed beside each other use them.
  constructor(free: (content: C) => void, copies_max = Infinity) {
    this.#free = free;
    this.copies_max = copies_max;
  }

  async take({ task, label, bytes, count }: Wanted, make: (stride: number) => Promise<Attempt<C>> | Attempt<C>): Promise<Attempt<Copies<C>>> {
    const stride = strideOf(bytes), key = `${label} ${stride}`;
    const known = [...this.#held].find(held => held.current && held.task === task && held.key === key);
    if (known !== undefined && known.count >= count) return { ok: true, value: this.#lend(known, stride) };
    if (known !== undefined) this.#forget(known);
    this.#makeRoom(stride * count, count);
    const content = await make(stride);
    if (!content.ok) return content;
    const held = { task, key, content: content.value, count, bytes: stride * count, users: 0, current: true };
    this.#held.add(held);
    this.#bytes += held.bytes;
    this.#copies += count;
    return { ok: true, value: this.#lend(held, stride) };
  }

  // The task is over.
  forget(task: object): void {
    for (const held of [...this.#held]) if (held.task === task) this.#forget(held);
  }

  #lend(held: Held<C>, stride: number): Copies<C> {
    held.users++;
    return { content: held.content, stride, release: () => this.#giveBack(held) };
  }

  #giveBack(held: Held<C>): void {
    held.users--;
    if (!held.current) return this.#forget(held);
    this.#held.delete(held);
    this.#held.add(held);
  }

  #forget(held: Held<C>): void {
    held.current = false;
    if (held.users > 0) return;
    this.#held.delete(held);
    this.#bytes -= held.bytes;
    this.#copies -= held.count;
    this.#free(held.content);
  }

  #makeRoom(bytes: number, count: number): void {
    for (const held of [...this.#held]) {
      if (this.#bytes + bytes <= unused_bytes_max && this.#copies + count <= this.copies_max) return;
      if (held.users === 0) this.#forget(held);
    }
  }
}

function strideOf(bytes: number): number {
  const step = Math.max(alignment, 2 ** Math.floor(Math.log2(Math.max(1, bytes))) / steps);
  return Math.ceil(bytes / step) * step;
}
