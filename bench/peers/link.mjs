// A link of a given speed that all who use it share: each piece is through when those before it are.
const PIECE_BYTES = 16384;

export class Link {
  #free_ms = 0;

  // clock: {now(): ms, sleep(ms)}
  constructor(bits_per_second, clock = { now: () => performance.now(), sleep: ms => new Promise(done => setTimeout(done, ms)) }) {
    this.bytes_per_ms = bits_per_second / 8000;
    this.clock = clock;
  }

  // The same bytes, each as late as the link makes it.
  async* through(chunks) {
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        await this.#pass(piece.length);
        yield piece;
      }
  }

  // Timers are coarse: what is not worth a millisecond is not waited for, but counted.
  async #pass(bytes) {
    const now = this.clock.now();
    this.#free_ms = Math.max(now, this.#free_ms) + bytes / this.bytes_per_ms;
    if (this.#free_ms - now >= 1) await this.clock.sleep(this.#free_ms - now);
  }
}
