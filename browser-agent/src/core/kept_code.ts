// KeptCode: what a device made of kernels' texts, kept until they come again. Finals and pairs in turns measure one kernel many times, and creating it
// takes several times as long as timing it.
import { success, type Attempt } from './outcome.ts';

// A search's finals take eight kernels (kContenders), of one to four launches each. SwiftShader takes 1.1 to 1.5 MiB for a pipeline.
const kept_max = 32;

// A kernel's, until it is given back.
export interface Lent<T> {
  readonly text: string;       // all that the device made it of
  readonly made: T;
  readonly is_new: boolean;    // false: it was kept
}

export class KeptCode<T> {
  readonly #drop: (made: T) => void;
  readonly #kept = new Map<string, T>();   // in the order in which they were given back

  constructor(drop: (made: T) => void) {
    this.#drop = drop;
  }

  async take(text: string, make: () => Promise<Attempt<T>>): Promise<Attempt<Lent<T>>> {
    const kept = this.#kept.get(text);
    if (this.#kept.delete(text)) return success({ text, made: kept as T, is_new: false });
    const made = await make();
    return made.ok ? success({ text, made: made.value, is_new: true }) : made;
  }

  // again: they may be measured again. Of one text one is kept, and of too many those that were given back last.
  giveBack(lent: readonly Lent<T>[], again: boolean): void {
    for (const { text, made } of lent) {
      if (!again || this.#kept.has(text)) this.#drop(made);
      else this.#kept.set(text, made);
    }
    for (const [text, made] of this.#kept) {
      if (this.#kept.size <= kept_max) return;
      this.#kept.delete(text);
      this.#drop(made);
    }
  }
}

// Of a kernel that was there after so long: 0 where nothing had to be made for it.
export function createdMs(lent: readonly Lent<unknown>[], elapsed_ms: number): number {
  return lent.some(({ is_new }) => is_new) ? elapsed_ms : 0;
}
