// Random numbers that are the same in each run (mulberry32), and what the simulated device draws from them.
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  // In [0, 1).
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let word = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + (most - least) * this.uniform();
  }

  // Each magnitude alike.
  logBetween(least: number, most: number): number {
    return least * (most / least) ** this.uniform();
  }

  // Of mean 0 and deviation 1.
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  // The distance to the next of events that come at any moment alike.
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.uniform());
  }

  chance(share: number): boolean {
    return this.uniform() < share;
  }
}
