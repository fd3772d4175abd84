// ThreadChoice: which launches of a plan run on all threads, and which on the leader alone. Waking the others and waiting for them takes from some
// microseconds on a quiet machine to a hundred on a busy one, so a short launch is faster alone. Which are is found by trying, once the code is
// warm: runs, in turns with all threads and with those in doubt alone.
const long_ns = 3e6;            // so long a launch gains from all threads; trying would cost more than it tells
const batch_steps = 20;         // steps of the clock that a batch of runs lasts at least
const batch_ns_min = 1e5;
const batch_max = 1000;
const rounds_min = 2;
const launch_ns_max = 2e6;      // for each launch in doubt, of all rounds together,
const total_ns_max = 20e6;      // and for all, as long as each way has had its rounds: a page waits for it
const gain_min = 0.8;           // an ideal second thread gives 0.5; what gains less is lost again when the other threads come late

// Runs all launches in order so many times, those that are marked alone; nanoseconds of each.
export type RunNs = (alone: readonly boolean[], times: number) => readonly number[];

// may_share: those that have work for several threads. True for those that run alone.
export function chooseAlone(runNs: RunNs, { may_share, quantum_ns }: { may_share: readonly boolean[]; quantum_ns: number }): boolean[] {
  const together = may_share.map(() => false), first = runNs(together, 1);
  const in_doubt = may_share.map((may, i) => may && first[i]! < long_ns), doubts = in_doubt.filter(doubt => doubt).length;
  if (doubts === 0) return in_doubt;
  const times = timesOf(runNs, together, { first_ns: sum(first), batch_ns: Math.max(batch_steps * quantum_ns, batch_ns_min) });
  const all: (readonly number[])[] = [], each: (readonly number[])[] = [];
  const spent_ns_max = Math.min(total_ns_max, doubts * launch_ns_max);
  for (let spent_ns = 0; each.length < rounds_min || spent_ns < spent_ns_max; spent_ns += sum(all.at(-1)!) + sum(each.at(-1)!)) {
    all.push(runNs(together, times));
    each.push(runNs(in_doubt, times));
  }
  return in_doubt.map((doubt, i) => doubt && calmNs(all, i) >= gain_min * calmNs(each, i));
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
