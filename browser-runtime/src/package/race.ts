// How long a run takes on each backend, or by each plan, to find the fastest: the median of a few runs, within a time of which each has its share.
const samples = 5;
const attempts_max = 4 * samples;   // with those that were disturbed
const race_ms_max = 2_000;          // of all runs of a backend's first plans together
const tuning_ms_max = 2_000;        // of each plan, where all are tried
const hopeless = 2;                 // times the best: not looked at further
const gain_min = 1.05;              // times faster than what runs: else it stays

export interface Time {
  readonly name: string;
  readonly ms: number;
}

export class Race {
  readonly times: Time[] = [];

  private constructor(private readonly share_ms: number) {}

  // So many backends.
  static ofBackends(count: number): Race {
    return new Race(race_ms_max / count);
  }

  static ofPlans(): Race {
    return new Race(tuning_ms_max);
  }

  // run: milliseconds, and whether nothing disturbed it. False when no run went undisturbed.
  async measure(name: string, run: () => Promise<{ ms: number; valid: boolean }>): Promise<boolean> {
    const all: number[] = [], best = Math.min(...this.times.map(({ ms }) => ms));
    let spent_ms = 0;
    for (let i = 0; i < attempts_max && all.length < samples && spent_ms < this.share_ms && !(all.length > 1 && Math.min(...all) > hopeless * best); i++) {
      const { ms, valid } = await run();
      spent_ms += ms;
      if (valid) all.push(ms);
    }
    if (all.length > 0) this.times.push({ name, ms: median(all) });
    return all.length > 0;
  }

  // Whether the last one that was measured is to take the place of this one.
  lastBeats(name: string): boolean {
    const last = this.times.at(-1), other = this.times.find(time => time.name === name);
    return last !== undefined && other !== undefined && last.ms * gain_min < other.ms;
  }

  toString(): string {
    return `measured: ${this.times.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ')}`;
  }
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1]!;
}
