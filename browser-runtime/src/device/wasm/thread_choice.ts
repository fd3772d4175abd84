// ThreadChoice: whether a launch runs on all threads or on the leader alone. Waking the others and waiting for them takes from some
// microseconds on a quiet machine to a hundred on a busy one, so a short launch is faster alone. What takes less time is found by trying,
// once the code is warm.
const long_ns = 3e6;            // so long a launch gains from all threads; trying would cost more than it tells
const batch_steps = 20;         // steps of the clock that a batch of runs lasts at least
const batch_ns_min = 1e5;
const batch_max = 1000;
const batches = 2;              // of each kind; the faster one counts
const gain_min = 0.8;            // an ideal second thread gives 0.5; what gains less is lost again when the other threads come late

// timeNs: nanoseconds of so many runs of the launch in a row on so many threads.
export function chooseThreads(timeNs: (threads: number, runs: number) => number, { all, quantum_ns }: { all: number; quantum_ns: number }): number {
  if (all === 1) return 1;
  const batch_ns = Math.max(batch_steps * quantum_ns, batch_ns_min);
  const runNs = (threads: number): number => {
    let runs = 1, elapsed = timeNs(threads, runs);
    while (elapsed < batch_ns && runs < batch_max) elapsed = timeNs(threads, runs = Math.min(batch_max, runs * 4));
    let fastest = elapsed;
    for (let i = 1; i < batches; i++) fastest = Math.min(fastest, timeNs(threads, runs));
    return fastest / runs;
  };
  const first = timeNs(all, 1);
  if (first >= long_ns) return all;
  return runNs(all) < gain_min * runNs(1) ? all : 1;
}
