// SimulatedCache: which bytes of which buffers the last level of a device's caches holds: those that were touched last, whole buffers in their order.
export class SimulatedCache {
  readonly #held = new Map<string, number>();    // bytes by buffer, the longest untouched first
  #bytes = 0;

  constructor(readonly size_bytes: number) {}

  // Touches all of a buffer; how many of its bytes came from memory.
  touch(buffer: string, bytes: number): number {
    const held = this.#held.get(buffer) ?? 0, kept = Math.min(bytes, this.size_bytes);
    this.#drop(buffer);
    while (this.#bytes + kept > this.size_bytes) this.#drop(this.#held.keys().next().value!);
    this.#held.set(buffer, kept);
    this.#bytes += kept;
    // Of one that is larger than the cache, its end has pushed out its beginning before that is read again.
    return bytes > this.size_bytes ? bytes : bytes - Math.min(held, bytes);
  }

  #drop(buffer: string): void {
    this.#bytes -= this.#held.get(buffer) ?? 0;
    this.#held.delete(buffer);
  }
}
