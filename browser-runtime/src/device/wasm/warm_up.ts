// WarmUp: how long a kernel runs before its time counts. A browser's engine runs new code in its baseline compiler first, some ten times
// slower, and puts the optimised code in its place between two calls, once that code has run for a while and was compiled beside it (V8:
// Liftoff, then TurboFan; a loop that is under way is not replaced). So a kernel is warm when it was called several times and ran for 20 ms
// in which it became no faster.
const calls_min = 3;
const runs_min = 2;
const steady_ns = 20e6;
const faster = 0.8;             // a step to the optimised code is greater, the noise of a busy machine smaller
const total_ns_max = 400e6;     // a slow kernel has been in its optimised code for long
const batch_steps = 20;         // steps of the clock that a batch of runs lasts at least, to tell their time
const batch_ns_min = 2e5;
const batch_max = 10_000;

export class WarmUp {
  readonly #batch_ns: number;
  #runs = 0;
  #calls = 0;
  #total_ns = 0;
  #steady_ns = 0;
  #fastest_ns = Infinity;
  #last_ns = 0;
  #batch = 1;

  // quantum_ns: the step of the clock that gives the times.
  constructor(quantum_ns: number) {
    this.#batch_ns = Math.max(batch_steps * quantum_ns, batch_ns_min);
  }

  // How often to run before the next note.
  get batch(): number {
    return this.#batch;
  }

  // The time of one run, as of late.
  get run_ns(): number {
    return this.#last_ns;
  }

  get over(): boolean {
    if (this.#runs < runs_min || this.#calls < calls_min) return false;
    return this.#steady_ns >= steady_ns || this.#total_ns >= total_ns_max;
  }

  // `batch` runs took elapsed_ns; each made so many calls into the code.
  note(elapsed_ns: number, calls_per_run: number): void {
    const runs = this.#batch;
    this.#runs += runs;
    this.#calls += runs * calls_per_run;
    this.#total_ns += elapsed_ns;
    this.#steady_ns += elapsed_ns;
    this.#last_ns = elapsed_ns / runs;
    const tells = elapsed_ns >= this.#batch_ns || runs === batch_max;
    if (!tells) {
      this.#batch = Math.min(batch_max, runs * 2);
      return;
    }
    if (this.#last_ns < faster * this.#fastest_ns) {
      this.#fastest_ns = this.#last_ns;
      this.#steady_ns = 0;
    }
  }
}
