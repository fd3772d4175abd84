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

// What reads of growing working sets tell of a GPU's memory; 0: they do not.
export interface GpuMemory {
  cache_bytes: number;
  gb_s: number;                  // of reads that no cache serves
}

export const untold: GpuMemory = { cache_bytes: 0, gb_s: 0 };

// Reads by all threads of a GPU together, round after round.
export interface SetReader {
  readonly sets: readonly number[];        // bytes, ascending
  readonly round_bytes: number;            // of all threads
  readonly least_ns: number;               // of reads that the device's clock tells well
  // Nanoseconds of so many rounds over the first bytes of the memory.
  readNs(bytes: number, rounds: number): Promise<number>;
  nowMs(): number;
}

const grow = 4;
const time_ms_max = 100;

// From the largest set on: its reads are the slowest, and say how many rounds are long enough. Each set is read as a whole before it is timed. No set is
// begun that would not end within 100 ms from the beginning.
export async function climbSets({ sets, round_bytes, least_ns, readNs, nowMs }: SetReader): Promise<GpuMemory> {
  const began_ms = nowMs(), largest = sets.at(-1) ?? 0, readings: { bytes: number; ns: number }[] = [];
  const left_ms = (): number => began_ms + time_ms_max - nowMs();
  let rounds = Math.max(1, largest / round_bytes), read_ms = 0;
  const read = async (bytes: number): Promise<void> => {
    const started_ms = nowMs(), ns = await readNs(bytes, rounds);
    read_ms = nowMs() - started_ms;
    readings.unshift({ bytes, ns });
  };
  await readNs(largest, rounds);   // drivers compile in the first one, and give memory
  await read(largest);
  while (readings[0]!.ns < least_ns && left_ms() > time_ms_max / 2) {
    rounds *= grow;
    readings.pop();
    await read(largest);
  }
  for (const bytes of sets.slice(0, -1).reverse()) {
    if (left_ms() < 2 * read_ms) break;
    await readNs(bytes, Math.max(1, bytes / round_bytes));
    await read(bytes);
  }
  const cache_bytes = cacheBytes(readings), slowest = readings.at(-1);
  return cache_bytes === 0 || slowest === undefined ? untold : { cache_bytes, gb_s: rounds * round_bytes / slowest.ns };
}
