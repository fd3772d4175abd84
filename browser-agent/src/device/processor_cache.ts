// The last level of the processor's caches, by a walk through memory whose every step depends on the read before it: so it takes what a read takes to
// come back, which differs much between a cache and memory. For kernels that run on the processor: the walk need not run where they do.
import type { Fingerprint } from '../generated/protocol.ts';
import { cacheBytes, workingSets } from '../core/cache_size.ts';

const line_bytes = 64;
const bytes_max = 128 << 20;
const steps = 12_000;            // 1 ms of reads from memory
const takes = 3;                 // of each working set; the fastest counts
const time_ms_max = 100;

// 0 where it is not told. Takes up to 100 ms and 128 MiB, which are given back.
export function processorCacheBytes(now_ms: () => number = () => performance.now()): number {
  const began_ms = now_ms(), sets = workingSets(bytes_max), readings: { bytes: number; ns: number }[] = [];
  try {
    const words = new Uint32Array(bytes_max / 4);
    for (const bytes of sets) {
      if (now_ms() - began_ms > time_ms_max) break;
      touch(words, bytes);
      readings.push({ bytes, ns: fastest(takes, () => walkNs(words, bytes, now_ms)) });
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;   // no memory
  }
  return readings.length < sets.length && !isPastKnee(readings) ? 0 : cacheBytes(readings);
}

export function withCache(fingerprint: Fingerprint, bytes: number): Fingerprint {
  return bytes > 0 ? { ...fingerprint, last_level_cache_bytes: bytes } : fingerprint;
}

// A walk that was cut short tells only what lies before its end: the last two readings agree.
function isPastKnee(readings: readonly { ns: number }[]): boolean {
  const [before, last] = readings.slice(-2);
  return before !== undefined && last !== undefined && last.ns < 1.25 * before.ns && before.ns > 2 * readings[0]!.ns;
}

// Each line is in the caches as far as they hold it, the last ones surely.
function touch(words: Uint32Array, bytes: number): void {
  for (let at = 0; at < bytes / 4; at += line_bytes / 4) words[at] = 0;
}

// Lines in an order that no prefetcher foresees: a generator of full period modulo the number of lines, a power of 2. All words are 0.
function walkNs(words: Uint32Array, bytes: number, now_ms: () => number): number {
  const mask = bytes / line_bytes - 1;
  let line = (now_ms() * 1000) & mask;
  const started = now_ms();
  for (let step = 0; step < steps; step++) line = (Math.imul(line, 1_664_525) + 1_013_904_223 + words[line * (line_bytes / 4)]!) & mask;
  const ns = (now_ms() - started) * 1e6 / steps;
  return line < 0 ? 0 : ns;      // the walk's end is used, so that no compiler leaves it out
}

function fastest(count: number, measure: () => number): number {
  return Math.min(...Array.from({ length: count }, measure));
}
