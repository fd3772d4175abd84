// ThreadChoice: which launches of a plan run on all threads, and which on the leader alone. Waking the others takes some microseconds, and who joins
// late is waited for, so a short launch is faster alone. Which are is found by trying, once the code is
// warm: runs, in turns with all threads and with those in doubt alone; and again now and then, because the processors may have been busy with
// something else, such as the browser's compiler.
const long_ns = 2e5;            // waking the others takes little of so long a launch: it is shared, whatever the processors do at the time
const batch_steps = 20;         // steps of the clock that a batch of runs lasts at least
const batch_ns_min = 1e5;
const batch_max = 1000;
const rounds_min = 2;
const launch_ns_max = 2e6;      // for each launch in doubt, of all rounds together,
const total_ns_max = 5e6;       // and for all, as long as each way has had its rounds: a page waits for it, and later runs try again
const gain_min = 0.95;          // an ideal second thread gives 0.5
const gain_clear = 0.7;         // what gains so much is in doubt no more
const rounds_kept = 8;
const gap_first = 2, gap_max = 64;   // runs between two trials

// Runs all launches in order so many times, those that are marked alone; nanoseconds of each.
export type RunNs = (alone: readonly boolean[], times: number) => readonly number[];

export class ThreadChoice {
  readonly #together: readonly boolean[];
  readonly #all: (readonly number[])[] = [];
  readonly #each: (readonly number[])[] = [];
  #in_doubt: boolean[];
  #gap = gap_first;
  #runs = 0;                    // since the last trial, of which the first half runs all together

  // first: of a run with all together.
  private constructor(may_share: readonly boolean[], first: readonly number[]) {
    this.#together = may_share.map(() => false);
    this.#in_doubt = may_share.map((may, i) => may && first[i]! < long_ns);
  }

  // may_share: those that have work for several threads.
  static settle(runNs: RunNs, { may_share, quantum_ns }: { may_share: readonly boolean[]; quantum_ns: number }): ThreadChoice {
    const together = may_share.map(() => false), first = runNs(together, 1), choice = new ThreadChoice(may_share, first);
    const doubts = choice.#in_doubt.filter(doubt => doubt).length;
    if (doubts === 0) return choice;
    const times = timesOf(runNs, together, { first_ns: sum(first), batch_ns: Math.max(batch_steps * quantum_ns, batch_ns_min) });
    const spent_ns_max = Math.min(total_ns_max, doubts * launch_ns_max);
    for (let spent_ns = 0, rounds = 0; rounds < rounds_min || spent_ns < spent_ns_max; rounds++) {
      choice.#all.push(runNs(together, times));
      choice.#each.push(runNs(choice.#in_doubt, times));
      spent_ns += sum(choice.#all.at(-1)!) + sum(choice.#each.at(-1)!);
    }
    choice.#forgetClear();
    if (times > 1) choice.#gap = Infinity;   // the clock tells nothing of a single run
    return choice;
  }

  // True for those that run alone.
  get alone(): boolean[] {
    return this.#in_doubt.map((doubt, i) => doubt && calmNs(this.#all, i) >= gain_min * calmNs(this.#each, i));
  }

  // Asked before each run. Which launches this run is to try alone; undefined: none, they run as they do.
  trial(): readonly boolean[] | undefined {
    if (this.#all.length === 0 || !this.#in_doubt.includes(true) || ++this.#runs <= this.#gap) return undefined;
    if (this.#runs === this.#gap + 1) return this.#together;
    this.#gap = Math.min(gap_max, this.#gap * 2);
    this.#runs = 0;
    return this.#in_doubt;
  }

  // What a trial took.
  note(alone: readonly boolean[], ns: readonly number[]): void {
    const rounds = alone === this.#together ? this.#all : this.#each;
    rounds.push(ns);
    if (rounds.length > rounds_kept) rounds.shift();
    if (rounds === this.#each) this.#forgetClear();
  }

  #forgetClear(): void {
    this.#in_doubt = this.#in_doubt.map((doubt, i) => doubt && calmNs(this.#all, i) >= gain_clear * calmNs(this.#each, i));
  }
}

// How many runs the clock can tell.
function timesOf(runNs: RunNs, together: readonly boolean[], { first_ns, batch_ns }: { first_ns: number; batch_ns: number }): number {
  let times = 1;
  for (let elapsed_ns = first_ns; elapsed_ns < batch_ns && times < batch_max; elapsed_ns = sum(runNs(together, times))) times = Math.min(batch_max, times * 4);
  return times;
}

// The mean of the faster half: other work makes some slower, and a single one is not longer than a few steps of the clock.
function calmNs(runs: readonly (readonly number[])[], launch: number): number {
  const sorted = runs.map(run => run[launch]!).sort((a, b) => a - b), half = sorted.slice(0, Math.ceil(sorted.length / 2));
  return sum(half) / half.length;
}

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
