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
  prepare?(): Promise<void>;               // what the memory needs before reads of it tell
}

const grow = 4;
const time_ms_max = 100;

// Takes 100 ms, or as long as preparing and one read of the largest set, beside what drivers compile.
export function climbSets(reader: SetReader): Promise<GpuMemory> {
  return new Climb(reader).told();
}

class Climb {
  readonly #reader: SetReader;
  readonly #round_ns: { bytes: number; ns: number }[] = [];   // what a round of reads takes in these bytes, ascending
  #until_ms = 0;
  #rounds_least = 1;

  constructor(reader: SetReader) {
    this.#reader = reader;
  }

  // From the largest set on, whose reads are the slowest. Each is read as a whole before it is timed.
  async told(): Promise<GpuMemory> {
    const { sets: [smallest], round_bytes, readNs, nowMs, prepare } = this.#reader;
    if (smallest === undefined) return untold;
    await readNs(smallest, 1);   // drivers compile in the first one
    this.#until_ms = nowMs() + time_ms_max;
    await prepare?.();
    for (const bytes of (await this.#setsInTime()).reverse()) {
      if (this.#left_ms <= 0) break;
      await readNs(bytes, bytes / round_bytes);
      this.#round_ns.unshift({ bytes, ns: await this.#roundNs(bytes) });
    }
    const cache_bytes = cacheBytes(this.#round_ns), slowest = this.#round_ns.at(-1);
    return cache_bytes === 0 || slowest === undefined ? untold : { cache_bytes, gb_s: round_bytes / slowest.ns };
  }

  // Without the largest, where the time does not suffice for two reads of it, and two of half of it, and so on.
  async #setsInTime(): Promise<number[]> {
    const { sets, round_bytes, readNs, nowMs } = this.#reader, largest = sets.at(-1) ?? 0, started_ms = nowMs();
    await readNs(largest, largest / round_bytes);
    const ms_per_byte = (nowMs() - started_ms) / largest;
    return sets.filter(bytes => 4 * bytes * ms_per_byte <= this.#left_ms);
  }

  async #roundNs(bytes: number): Promise<number> {
    const { round_bytes, readNs } = this.#reader, rounds = Math.max(this.#rounds_least, bytes / round_bytes);
    return this.#round_ns.length > 0 ? await readNs(bytes, rounds) / rounds : this.#firstRoundNs(bytes, rounds);
  }

  // Says how many rounds are long enough, four times over: of reads that a cache serves each takes a part of the time.
  async #firstRoundNs(bytes: number, rounds: number): Promise<number> {
    const { readNs, least_ns, nowMs } = this.#reader, started_ms = nowMs(), ns = await readNs(bytes, rounds);
    if (ns < least_ns && grow * (nowMs() - started_ms) < this.#left_ms) return this.#firstRoundNs(bytes, rounds * grow);
    this.#rounds_least = Math.min(rounds, Math.ceil(grow * least_ns / ns * rounds));
    return ns / rounds;
  }

  get #left_ms(): number {
    return this.#until_ms - this.#reader.nowMs();
  }
}
