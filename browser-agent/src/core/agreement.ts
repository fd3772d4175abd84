// Which of a kernel's samples count on a device that nothing else tells of: those that agree. A burst of other work, a change of the clock's rate or
// a stamp that is nonsense makes some of them longer or shorter, never all of them alike.
import type { Timer } from '../generated/protocol.ts';

const apart_max = 0.1;
const apart_max_slopes = 0.2;  // each is a difference of two times

// Of at least `count` samples those `count` that lie closest together, in the order in which they were taken; of fewer all.
export function closest<S extends { readonly us: number }>(samples: readonly S[], count: number): S[] {
  if (samples.length <= count) return [...samples];
  const order = [...samples].sort((a, b) => a.us - b.us);
  const apart = order.slice(count - 1).map(({ us }, from) => us / order[from]!.us), from = apart.indexOf(Math.min(...apart));
  const chosen = new Set(order.slice(from, from + count));
  return samples.filter(sample => chosen.has(sample));
}

// True where the closest `count` differ by no more than a tenth; slopes by a fifth.
export function agree(samples: readonly { readonly us: number }[], count: number, { method }: Timer): boolean {
  const chosen = closest(samples, count).map(({ us }) => us), apart = Math.max(...chosen) / Math.min(...chosen) - 1;
  return chosen.length === count && apart <= (method === 'slope' ? apart_max_slopes : apart_max);
}
