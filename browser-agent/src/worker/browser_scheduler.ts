// The browser's clock and timers.
import type { Scheduler } from '../core/scheduler.ts';

export const browserScheduler: Scheduler = {
  nowMs: () => performance.now(),
  after: (delay_ms, run) => {
    const timer = setTimeout(run, delay_ms);
    return () => clearTimeout(timer);
  },
};
