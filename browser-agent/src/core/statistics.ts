// Order statistics of small samples.

// The median; NaN for no values.
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] ?? NaN;
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

// The step of a clock that gave these stamps: the greatest common divisor of their distances. 1 ms when they never moved.
export function clockStepNs(stamps: readonly bigint[]): number {
  const [first = 0n] = stamps;
  const step = stamps.reduce((divisor, stamp) => greatestCommonDivisor(divisor, stamp - first), 0n);
  return step > 0n ? Number(step) : 1e6;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  if (b < 0n) b = -b;
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
