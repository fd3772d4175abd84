// Backoff: the waits between attempts to reconnect. Doubles from first_ms to cap_ms, each wait drawn evenly from [half, whole], so that
// a thousand agents do not come back in the same instant.
export interface BackoffOptions {
  first_ms: number;
  cap_ms: number;
  random: () => number;  // in [0, 1)
}

export class Backoff {
  #failures = 0;
  readonly #options: BackoffOptions;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  // The wait before the next attempt.
  nextMs(): number {
    const whole = Math.min(this.#options.cap_ms, this.#options.first_ms * 2 ** this.#failures);
    this.#failures++;
    return whole * (0.5 + 0.5 * this.#options.random());
  }

  // An attempt went well.
  reset(): void {
    this.#failures = 0;
  }
}
