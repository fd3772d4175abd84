// How long a run takes on each backend, to find the fastest: the median of a few runs, within a time of which each has its share.
const samples = 5;
const attempts_max = 4 * samples;   // with those that were disturbed
const race_ms_max = 2_000;          // of all runs together
const hopeless = 2;                 // times the best: not looked at further
const gain_min = 1.05;              // times faster than what runs: else it stays

export interface Time {
  readonly backend: string;
  readonly ms: number;
}

export class Race {
  readonly times: Time[] = [];

  // How many take part.
  constructor(private readonly count: number) {}

  // run: milliseconds, and whether nothing disturbed it. False when no run went undisturbed.
  async measure(backend: string, run: () => Promise<{ ms: number; valid: boolean }>): Promise<boolean> {
    const all: number[] = [], best = Math.min(...this.times.map(({ ms }) => ms));
    let spent_ms = 0;
    for (let i = 0; i < attempts_max && all.length < samples && spent_ms < race_ms_max / this.count && !(all.length > 1 && Math.min(...all) > hopeless * best); i++) {
      const { ms, valid } = await run();
      spent_ms += ms;
      if (valid) all.push(ms);
    }
    if (all.length > 0) this.times.push({ backend, ms: median(all) });
    return all.length > 0;
  }

  // Whether the last one that was measured is to take the place of this one.
  lastBeats(backend: string): boolean {
    const last = this.times.at(-1), other = this.times.find(time => time.backend === backend);
    return last !== undefined && other !== undefined && last.ms * gain_min < other.ms;
  }

  toString(): string {
    return `measured: ${this.times.map(({ backend, ms }) => `${backend} ${ms.toFixed(1)} ms`).join(', ')}`;
  }
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1]!;
}
