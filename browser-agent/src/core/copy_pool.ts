// CopyPool: copies of a task's buffers that its candidates share, because making them takes longer than timing a candidate. What was made for one
// layout of a constant serves for another of about its size: its values in another order. Sizes are rounded up, so that few differ.
import type { Attempt } from './outcome.ts';

export interface Copies<C> {
  readonly content: C;           // as many as asked for, or more
  readonly stride: number;       // bytes of each
  release(): void;
}

interface Held<C> {
  content: C;
  count: number;
  bytes: number;
  users: number;
}

const unused_bytes_max = 192 << 20;
const steps = 8;                 // of an octave
const alignment = 256;           // of each copy: what any device asks of a binding's offset

export class CopyPool<C> {
  readonly #held = new Map<string, Held<C>>();
  readonly #free: (content: C) => void;

  constructor(free: (content: C) => void) {
    this.#free = free;
  }

  async take(label: string, bytes: number, count: number, make: (stride: number) => Promise<Attempt<C>> | Attempt<C>): Promise<Attempt<Copies<C>>> {
    const stride = strideOf(bytes), key = `${label} ${stride}`, known = this.#held.get(key);
    if (known !== undefined && known.count >= count) return { ok: true, value: this.#lend(known, stride) };
    if (known !== undefined) this.#forget(key, known);
    this.#makeRoom(stride * count);
    const content = await make(stride);
    if (!content.ok) return content;
    const held = { content: content.value, count, bytes: stride * count, users: 0 };
    this.#held.set(key, held);
    return { ok: true, value: this.#lend(held, stride) };
  }

  #lend(held: Held<C>, stride: number): Copies<C> {
    held.users++;
    return { content: held.content, stride, release: () => this.#giveBack(held) };
  }

  #giveBack(held: Held<C>): void {
    held.users--;
    if (held.users === 0 && ![...this.#held.values()].includes(held)) this.#free(held.content);
  }

  #forget(key: string, held: Held<C>): void {
    this.#held.delete(key);
    if (held.users === 0) this.#free(held.content);
  }

  #makeRoom(bytes: number): void {
    let sum = bytes + [...this.#held.values()].reduce((all, held) => all + held.bytes, 0);
    for (const [key, held] of [...this.#held]) {
      if (sum <= unused_bytes_max) return;
      if (held.users > 0) continue;
      this.#forget(key, held);
      sum -= held.bytes;
    }
  }

  dispose(): void {
    for (const [key, held] of [...this.#held]) this.#forget(key, held);
  }
}

function strideOf(bytes: number): number {
  const step = Math.max(alignment, 2 ** Math.floor(Math.log2(Math.max(1, bytes))) / steps);
  return Math.ceil(bytes / step) * step;
}
