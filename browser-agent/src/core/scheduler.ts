// Scheduler: the clock and the timers, handed in, so that tests own the time.
export type Cancel = () => void;

export interface Scheduler {
  nowMs(): number;                                  // monotonic
  after(delay_ms: number, run: () => void): Cancel;
}
