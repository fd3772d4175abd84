// A clock that the test winds. Callbacks run in order of their time; promises settle in between.
import type { Cancel, Scheduler } from '../src/core/scheduler.ts';

export class FakeScheduler implements Scheduler {
  #now_ms = 0;
  #timers: { at_ms: number; run: () => void }[] = [];

  nowMs(): number {
    return this.#now_ms;
  }

  after(delay_ms: number, run: () => void): Cancel {
    const timer = { at_ms: this.#now_ms + delay_ms, run };
    this.#timers.push(timer);
    return () => { this.#timers = this.#timers.filter(other => other !== timer); };
  }

  async advance(by_ms: number): Promise<void> {
    const until = this.#now_ms + by_ms;
    await settle();
    for (;;) {
      const [next] = this.#timers.filter(timer => timer.at_ms <= until).sort((a, b) => a.at_ms - b.at_ms);
      if (next === undefined) break;
      this.#timers = this.#timers.filter(other => other !== next);
      this.#now_ms = next.at_ms;
      next.run();
      await settle();
    }
    this.#now_ms = until;
  }
}

// Lets everything that is ready happen.
export function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
