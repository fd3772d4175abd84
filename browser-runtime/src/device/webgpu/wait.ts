// Waiting for the GPU. Firefox notices finished work only on a 100 ms poll or at the next submit (bug 1870699): empty submits while
// waiting bring that wait from 100 ms to well under 1 ms. Whether a browser needs it is measured, not guessed; delete when Firefox's bug
// is closed and no browser measures above poll_ms_suspicious any more.
import { EventTurn } from '../event_turn.ts';

const poll_ms_suspicious = 40;
const eager_ticks = 20;  // ticks without a nap: most waits end within them

export class GpuWait {
  #pumped = false;
  readonly #queue: GPUQueue;
  readonly #turn = new EventTurn();

  constructor(queue: GPUQueue) {
    this.#queue = queue;
  }

  get pumped(): boolean {
    return this.#pumped;
  }

  // Times an empty round trip; a browser that polls shows its period. Not at the first, which may be over soon because a poll was due; the others
  // begin right after one.
  async detectPolling(): Promise<void> {
    await this.#emptyTripMs();
    for (let i = 0; i < 2; i++) if (await this.#emptyTripMs() < poll_ms_suspicious) return;
    this.#pumped = true;
  }

  async #emptyTripMs(): Promise<number> {
    const started = performance.now();
    this.#queue.submit([]);
    await this.#queue.onSubmittedWorkDone();
    return performance.now() - started;
  }

  // Resolves with the promise of the GPU, pumping where that is needed.
  async until<T>(promise: Promise<T>): Promise<T> {
    if (!this.#pumped) return promise;
    let over = false;
    const watched = promise.finally(() => { over = true; });
    watched.catch(() => {});  // handed to the caller below
    for (let i = 0; !over; i++) {
      this.#queue.submit([]);
      await (i < eager_ticks ? this.#turn.take() : new Promise<void>(done => setTimeout(done, 1)));
    }
    return watched;
  }

  async idle(): Promise<void> {
    await this.until(this.#queue.onSubmittedWorkDone());
  }

  dispose(): void {
    this.#turn.dispose();
  }
}
