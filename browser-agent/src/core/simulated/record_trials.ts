// What records are worth on simulated devices with something wrong: clocks that say nonsense, speeds that change, other work beside the samples.
import { Bench, disturbed, gpuTraits, group_size, often_disturbed, slopeTraits, type Measured, type Method } from './timing_trials.ts';
import type { Traits } from './simulated_gpu.ts';

export interface Records {
  candidates: number;
  false_records: number;        // ok, with a time that is not the kernel's
  failed: number;               // neither ok nor unstable, or with times that the service refuses
  unstable: number;
  method: string;
  falsehoods: Falsehood[];      // the false records
}

export interface Falsehood {
  true_us: number;
  samples_us: readonly number[];
  slowdown: number;             // of the device, by the record's reference kernel
}

const false_beyond = 0.1;       // a record whose time is further from the truth is false
const slowdown_max = 3;
const throttled: Partial<Traits> = { throttle: { from_ms: 5000, until_ms: 12_000, speed: 0.6 } };
const throttled_for_long: Partial<Traits> = { throttle: { from_ms: 60_000, until_ms: 160_000, speed: 0.6 } };

const troubled: Record<string, readonly [Traits, Method]> = {
  'clock that runs backwards': spoilt({ negative_share: 0.05, absurd_share: 0.02 }),
  'unit 1000 times too great': spoilt({ unit: 1000 }),
  'unit 1000 times too small': spoilt({ unit: 0.001 }),
  'throttling in the middle': [gpuTraits(65_536, throttled), 'timestamp'],
  'other work 3 times a second': [gpuTraits(65_536, often_disturbed), 'timestamp'],
  ...troubledSlopes(0.3),
  ...troubledSlopes(5),
};

function spoilt(how: Partial<Traits['clock']>): [Traits, Method] {
  const traits = gpuTraits(65_536);
  return [{ ...traits, clock: { ...traits.clock, ...how } }, 'timestamp'];
}

function troubledSlopes(overhead_ms: number): Record<string, [Traits, Method]> {
  const troubles = {
    'throttling in the middle': throttled, 'throttling for 100 s': throttled_for_long,
    'other work every 2 s': disturbed, 'other work 3 times a second': often_disturbed, 'that and throttling': { ...often_disturbed, ...throttled },
  };
  return Object.fromEntries(Object.entries(troubles).map(([name, more]) => [`slopes, ${overhead_ms} ms to submit and wait, ${name}`, [{ ...slopeTraits(overhead_ms), ...more }, 'slope']]));
}

export async function falseRecords(count: number, seed = 0): Promise<Record<string, Records>> {
  const found: Record<string, Records> = {};
  for (const [i, [name, [traits, method]]] of Object.entries(troubled).entries()) found[name] = await recordsOn(traits, method, count, seed + 300 + i);
  return found;
}

async function recordsOn(traits: Traits, method: Method, count: number, seed: number): Promise<Records> {
  const bench = await Bench.make(traits, seed, method), all: Measured[] = [];
  while (all.length < count) all.push(...await bench.measure(Array.from({ length: group_size }, () => bench.random.logBetween(5, 3000))));
  const ok = all.filter(({ result }) => result.outcome === 'ok'), { usual_us } = bench.backend, falsehoods = ok.filter(one => isFalse(one, usual_us));
  const refused = all.filter(({ result: { outcome, samples_us } }) => (outcome !== 'ok' && outcome !== 'unstable') || samples_us.some(us => !(us > 0)));
  return {
    candidates: all.length, false_records: falsehoods.length, failed: refused.length, unstable: all.filter(({ result }) => result.outcome === 'unstable').length,
    method: bench.backend.timer.method,
    falsehoods: falsehoods.map(({ result: { samples_us, reference_us }, true_us }) => ({ true_us, samples_us, slowdown: reference_us / usual_us })),
  };
}

// A time is true that the kernel has at full speed, or at the speed that the record's time of the reference kernel tells, as far as a device can
// be so slow.
function isFalse({ result, true_us }: Measured, usual_us: number): boolean {
  const slowdown = result.reference_us / usual_us, off = (speed: number) => Math.abs(result.latency_us_median / true_us / speed - 1) > false_beyond;
  return off(1) && (slowdown > slowdown_max || off(slowdown));
}
