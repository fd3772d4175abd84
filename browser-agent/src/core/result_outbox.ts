// ResultOutbox: results wait here until the server has acknowledged them. They outlive sockets and sessions: a result that was lost on
// the way is sent again on the next connection, and the server stores each (trial, attempt) once.
import type { Result } from './result.ts';
import type { Scheduler } from './scheduler.ts';

export const resend_ms = 5000;
const waiting_max = 4096;

interface Entry {
  result: Result;
  sent_ms: number;
}

export class ResultOutbox {
  readonly #entries = new Map<string, Entry>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(result: Result): void {
    const key = `${result.trial}/${result.attempt}`;
    this.#entries.delete(key);
    this.#entries.set(key, { result, sent_ms: -Infinity });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > waiting_max && oldest !== undefined) this.#entries.delete(oldest);
  }

  acknowledge(trial: number, attempt: number): void {
    this.#entries.delete(`${trial}/${attempt}`);
  }

  // Sends what was never sent or waits too long for its acknowledgement.
  flush(send: (result: Result) => void): void {
    const now = this.#scheduler.nowMs();
    for (const entry of this.#entries.values()) {
      if (now - entry.sent_ms < resend_ms) continue;
      entry.sent_ms = now;
      send(entry.result);
    }
  }

  // A new connection: all of it has to go again.
  resetSent(): void {
    for (const entry of this.#entries.values()) entry.sent_ms = -Infinity;
  }
}
