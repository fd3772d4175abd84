// KeptCode: what a device made of kernels' texts, kept until they come again. Finals and pairs in turns measure one kernel many times, and creating it
// takes several times as long as timing it.
const text_bytes_max = 4 << 20;   // texts of a hundred kernels of a product's tile, unrolled; a device's code grows with its text

export class KeptCode<T> {
  readonly #drop: (made: T) => void;
  readonly #text_bytes_max: number;
  readonly #kept = new Map<string, T>();   // in the order in which they were given back
  #text_bytes = 0;

  constructor(drop: (made: T) => void, bytes_max = text_bytes_max) {
    this.#drop = drop;
    this.#text_bytes_max = bytes_max;
  }

  // The caller's, until it is given back. text: all that the device makes it of.
  take(text: string): T | undefined {
    const made = this.#kept.get(text);
    if (this.#kept.delete(text)) this.#text_bytes -= text.length;
    return made;
  }

  // Of one text one is kept. What was given back longest ago goes first.
  keep(text: string, made: T): void {
    this.#remove(text);
    this.#kept.set(text, made);
    this.#text_bytes += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#text_bytes <= this.#text_bytes_max) return;
      this.#remove(oldest);
    }
  }

  #remove(text: string): void {
    const made = this.take(text);
    if (made !== undefined) this.#drop(made);
  }
}
