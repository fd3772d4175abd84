// How large the last level of a device's caches is, found from how fast it reads working sets that grow: reads of one that does not fit are as slow
// as those of the largest. No table of devices.

const knee = 0.7;                // of the slowest reads, below which a working set fits some cache
const flat = 0.8;                // of them, above which even the smallest reads are no faster: nothing is told

// Powers of 2 from 1 MiB on, no larger than bytes_max.
export function workingSets(bytes_max: number): number[] {
  const all: number[] = [];
  for (let bytes = 1 << 20; bytes <= bytes_max; bytes *= 2) all.push(bytes);
  return all;
}

// read_ns: what reading takes in working sets of these bytes, each the same amount, ascending. 0: they do not tell.
export function cacheBytes(read_ns: readonly { bytes: number; ns: number }[]): number {
  const slowest_ns = Math.max(0, ...read_ns.slice(-2).map(({ ns }) => ns));
  if (read_ns.length < 3 || !(slowest_ns > 0) || read_ns[0]!.ns > flat * slowest_ns) return 0;
  return read_ns.filter(({ ns }) => ns > 0 && ns < knee * slowest_ns).at(-1)?.bytes ?? 0;
}
