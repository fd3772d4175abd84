// The samples of a row: a line "LOW HIGH COUNT_NEW COUNT_OLD NEW OLD", where NEW and OLD are base64 of 16-bit places between LOW and HIGH, low byte first, sorted.

export interface Samples {
  new_ms: Float64Array;    // ascending; where there were more, evenly spaced by rank
  old_ms: Float64Array;
  new_count: number;       // of all that were taken
  old_count: number;
}

const steps = 65535;

function unpacked(text: string, low: number, high: number): Float64Array {
  const bytes = atob(text);
  return Float64Array.from({ length: bytes.length / 2 }, (_, i) => low + (bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1)) / steps * (high - low));
}

// null where the line is empty: nothing was measured.
export function readSamples(line: string): Samples | null {
  const [low, high, new_count, old_count, new_text = '', old_text = ''] = line.split(' ');
  if (low === undefined || high === undefined) return null;
  const ends = [Number(low), Number(high)] as const;
  return { new_ms: unpacked(new_text, ...ends), old_ms: unpacked(old_text, ...ends), new_count: Number(new_count), old_count: Number(old_count) };
}

export interface Histogram { edges_ms: number[]; new_share: number[]; old_share: number[] }   // one edge more than shares

const shares = (samples: Float64Array, low: number, width: number, bins: number): number[] => {
  const counts = new Array<number>(bins).fill(0);
  for (const ms of samples) counts[Math.min(bins - 1, Math.floor((ms - low) / width))]! += 1 / samples.length;
  return counts;
};

// Equal bins over both sides.
export function histogramOf({ new_ms, old_ms }: Samples, bins = 30): Histogram {
  const all = [...new_ms, ...old_ms], low = Math.min(...all), high = Math.max(...all);
  const width = (high - low) / bins || low / 100;
  const edges_ms = Array.from({ length: bins + 1 }, (_, i) => low + i * width);
  return { edges_ms, new_share: shares(new_ms, low, width, bins), old_share: shares(old_ms, low, width, bins) };
}
