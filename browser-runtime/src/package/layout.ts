// Layout: where the elements of a tensor lie in a buffer. A physical dimension [axis, div, size] has the index (logical[axis] / div) mod size;
// dimensions stand outermost first. Dimensions of one axis may overlap (a halo stored twice, say): then a place whose coordinates contradict each
// other holds nothing. So it is in codegen/ir/layout.h and in browser-agent/runtime/physical_walk.h.
import type { Block } from '../plan/copy_rows.ts';

export type Dims = readonly (readonly [number, number, number])[];

export type { Block };
export type VisitBlock = (block: Block) => void;

// Places one after the other, and what visits those of them that hold something.
export interface Range {
  readonly place: number;
  readonly places: number;
  visit(visit: VisitBlock): void;
}

interface Dim {
  readonly axis: number;
  readonly div: number;
  readonly size: number;
  readonly step: number;       // in row-major order, of its index by one
  readonly inside: number;     // elements of the dimensions within it
}

export class Layout {
  readonly elements: number;   // places, with those that hold nothing
  readonly #dims: readonly Dim[];
  readonly #index: number[];   // of each axis, by the dimensions so far
  readonly #at: number[];
  readonly #overlaps: boolean;

  constructor(private readonly shape: readonly number[], dims: Dims) {
    const given = dims.length > 0 ? dims : shape.length > 0 ? shape.map((extent, axis) => [axis, 1, extent] as const) : [[0, 1, 1] as const];
    const { extents, dims: all } = merged(shape.length > 0 ? shape : [1], given);
    const strides = extents.map((_, axis) => extents.slice(axis + 1).reduce((a, b) => a * b, 1));
    this.shape = extents;
    this.#dims = all.map(([axis, div, size], d) => ({ axis, div, size, step: div * (strides[axis] ?? 0), inside: all.slice(d + 1).reduce((n, [, , s]) => n * s, 1) }));
    this.elements = all.reduce((n, [, , size]) => n * size, 1);
    this.#index = extents.map(() => 0);
    this.#at = all.map(() => 0);
    this.#overlaps = overlaps(this.#dims);
  }

  // Axes in range, div and size at least 1, and every axis with an extent above 1 covered.
  get valid(): boolean {
    const fits = this.#dims.every(({ axis, div, size }) => axis >= 0 && axis < this.shape.length && div >= 1 && size >= 1);
    return fits && this.shape.every((extent, axis) => extent >= 1 && (extent === 1 || this.#dims.some(dim => dim.axis === axis)));
  }

  // All places that hold something, in ascending order, by ranges of at most so many places; each is to be visited before the next one is asked for.
  *ranges(places_max: number): Generator<Range> {
    yield* this.#walk(0, 0, 0, places_max);
  }

  visit(visit: VisitBlock): void {
    this.#walkAll(0, 0, 0, visit);
  }

  // As far as a subtree is a range, without generators.
  *#walk(d: number, place: number, first: number, places_max: number): Generator<Range> {
    const { axis, div, size, step, inside } = this.#dims[d]!;
    if (inside * size <= places_max) return yield { place, places: inside * size, visit: visit => this.#walkAll(d, place, first, visit) };
    if (d === this.#dims.length - 1 || (this.#areRows(d) && inside <= places_max)) return yield* this.#cut(d, place, first, Math.floor(places_max / inside));
    const before = this.#index[axis]!;
    for (let at = 0; at < size && before + at * div < this.shape[axis]!; at++) {
      this.#index[axis] = before + at * div;
      this.#at[d] = at;
      yield* this.#walk(d + 1, place + at * inside, first + at * step, places_max);
    }
    this.#index[axis] = before;
  }

  // Of one of the two innermost dimensions so many indices at a time.
  *#cut(d: number, place: number, first: number, indices_max: number): Generator<Range> {
    const { size, inside } = this.#dims[d]!, is_run = d === this.#dims.length - 1;
    for (let from = 0; from < size; from += indices_max) {
      const to = Math.min(size, from + indices_max);
      yield {
        place: place + from * inside, places: (to - from) * inside,
        visit: visit => (is_run ? this.#run(d, place, first, from, to, visit) : this.#rows(d, place, first, from, to, visit)),
      };
    }
  }

  #walkAll(d: number, place: number, first: number, visit: VisitBlock): void {
    const { axis, div, size, step, inside } = this.#dims[d]!;
    if (d === this.#dims.length - 1) return this.#run(d, place, first, 0, size, visit);
    const before = this.#index[axis]!, extent = this.shape[axis]!;
    if (this.#areRows(d)) return this.#rows(d, place, first, 0, size, visit);
    for (let at = 0; at < size && before + at * div < extent; at++) {
      this.#index[axis] = before + at * div;
      this.#at[d] = at;
      this.#walkAll(d + 1, place + at * inside, first + at * step, visit);
    }
    this.#index[axis] = before;
  }

  // Whether this dimension and the one within it are the innermost two, of two axes.
  #areRows(d: number): boolean {
    return d === this.#dims.length - 2 && !this.#overlaps && this.#dims[d]!.axis !== this.#dims[d + 1]!.axis;
  }

  // Of the two innermost dimensions, indices from…to-1 of the outer one.
  #rows(d: number, place: number, first: number, from: number, to: number, visit: VisitBlock): void {
    const { inside, step } = this.#dims[d]!, inner = this.#dims[d + 1]!;
    const rows = Math.min(to, this.#held(this.#dims[d]!)) - from, count = this.#held(inner);
    if (rows > 0 && count > 0) visit({ place: place + from * inside, first: first + from * step, rows, row_places: inside, row_step: step, count, stride: inner.step });
  }

  // How many of a dimension's indices hold something, the dimensions outside of it where they are.
  #held({ axis, div, size }: Dim): number {
    return Math.min(size, Math.ceil((this.shape[axis]! - this.#index[axis]!) / div));
  }

  // The innermost dimension, indices from…to-1.
  #run(d: number, place: number, first: number, from: number, to: number, visit: VisitBlock): void {
    const { step } = this.#dims[d]!, held = Math.min(to, this.#held(this.#dims[d]!)), row = { rows: 1, row_places: 0, row_step: 0, stride: step };
    if (held <= from) return;
    if (!this.#overlaps) return visit({ ...row, place: place + from, first: first + from * step, count: held - from });
    for (let i = from; i < held; i++) if (this.#agrees(d, i)) visit({ ...row, place: place + i, first: first + i * step, count: 1 });
  }

  // Whether all coordinates are those of the element, the innermost one at i.
  #agrees(last: number, i: number): boolean {
    const inner = this.#dims[last]!;
    for (const [d, { axis, div, size }] of this.#dims.entries()) {
      const index = this.#index[axis]! + (axis === inner.axis ? i * inner.div : 0);
      if (Math.floor(index / div) % size !== (d === last ? i : this.#at[d])) return false;
    }
    return true;
  }
}

// The same with as few axes as do: two that lie whole and behind each other in row-major order and in the buffer, as a picture's rows and columns, are one. Long runs are fetched ahead by
// the processor, and counted once.
function merged(extents: readonly number[], dims: Dims): { extents: readonly number[]; dims: Dims } {
  const is_whole = ([axis, div, size]: Dims[number]): boolean => div === 1 && size === extents[axis] && dims.filter(([other]) => other === axis).length === 1;
  const d = dims.findIndex((dim, i) => dims[i + 1]?.[0] === dim[0] + 1 && is_whole(dim) && is_whole(dims[i + 1]!));
  if (d < 0) return { extents, dims };
  const [axis, , outer] = dims[d]!, size = outer * dims[d + 1]![2];
  const rest = dims.filter((_, i) => i !== d + 1).map(([of, div, n], i) => (i === d ? [axis, 1, size] as const : [of > axis ? of - 1 : of, div, n] as const));
  return merged([...extents.slice(0, axis), size, ...extents.slice(axis + 2)], rest);
}

// False only when the dimensions of each axis are digits of its index, so that no coordinates contradict each other.
function overlaps(dims: readonly Dim[]): boolean {
  return dims.filter(({ size }) => size > 1).some(dim => {
    const others = dims.filter(other => other !== dim && other.axis === dim.axis && other.size > 1);
    const lower = others.filter(({ div }) => div < dim.div).reduce((sum, { div, size }) => sum + (size - 1) * div, 0);
    return lower >= dim.div || others.some(({ div }) => div >= dim.div && div % (dim.div * dim.size) !== 0);
  });
}
