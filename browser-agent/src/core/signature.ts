// What an agent measured of its device when it connected, by which devices are told apart that say the same of themselves (tracker/device_classes.h).
import type { Fingerprint } from '../generated/protocol.ts';

export type Signature = Pick<Fingerprint, 'launch_us' | 'arithmetic_gflops' | 'memory_gb_s' | 'last_level_cache_bytes'>;

const steps = 12;   // of a decade: two measurements of one device mostly give the same figure, so that it does not describe itself anew each time

// A figure in steps of 21 %; undefined where nothing was measured.
export function coarse(figure: number): number | undefined {
  return figure > 0 && Number.isFinite(figure) ? Number((10 ** (Math.round(Math.log10(figure) * steps) / steps)).toPrecision(2)) : undefined;
}

// flops: of the work that took so long, a multiplication or an addition counting one.
export function arithmeticOf(flops: number, us: number): { arithmetic_gflops?: number } {
  const arithmetic_gflops = coarse(flops / us / 1000);
  return arithmetic_gflops === undefined ? {} : { arithmetic_gflops };
}

export function memoryOf(gb_s: number): { memory_gb_s?: number } {
  const memory_gb_s = coarse(gb_s);
  return memory_gb_s === undefined ? {} : { memory_gb_s };
}

// Of a device that was measured before.
export function signatureOf({ launch_us, arithmetic_gflops, memory_gb_s, last_level_cache_bytes }: Fingerprint): Signature {
  const told = Object.entries({ launch_us, arithmetic_gflops, memory_gb_s, last_level_cache_bytes }).filter(([, figure]) => figure !== undefined);
  return Object.fromEntries(told) as Signature;
}
