// The WASM boundary: the only file that knows what the agent's runtime exports (runtime/exports.cc), and its memory.
// Pointers are byte offsets into the runtime's memory; a view of that memory dies when it grows, so none is kept.
import { Runtime } from '../../../browser-runtime/src/device/runtime.ts';

// A tensor as the runtime reads it: rank, extents…, number of dims, (axis, div, size)….
export interface TensorView {
  shape: readonly number[];
  dims: readonly (readonly [number, number, number])[];
}

// As the runtime numbers them (tensor_check.h).
const elements = { f32: 0, i32: 1, u32: 2 } as const;
export type ElementType = keyof typeof elements;

export function isElementType(dtype: string): dtype is ElementType {
  return Object.hasOwn(elements, dtype);
}

// What an input is filled with, as the protocol's buffer says it.
export interface Generator {
  low: number;
  high: number;
  step?: number;
  seed: bigint;
}

// Of a reference's elements, as the protocol's expected_output says them.
export interface Magnitudes {
  largest: number;
  median: number;
}

export interface Comparison {
  max_error: number;
  unwritten: number;
  worst_index: number;
  nonzero_pads: number;
}

interface Exports {
  memory: WebAssembly.Memory;
  malloc(bytes: number): number;
  free(pointer: number): void;
  hone_view_valid(view: number): number;
  hone_view_elements(view: number): number;
  hone_fill(view: number, element: number, low: number, high: number, step: number, seed_high: number, seed_low: number, pad_bits: number, out: number): void;
  hone_compare(view: number, element: number, physical: number, expected: number, largest: number, median: number, pads_are_zero: number, out: number): void;
  hone_poison_bits(): number;
}

export class TensorRuntime extends Runtime {
  readonly poison_bits: number;
  readonly #wasm: Exports;

  constructor(exports: WebAssembly.Exports) {
    super(exports);
    this.#wasm = exports as unknown as Exports;
    this.poison_bits = this.#wasm.hone_poison_bits() >>> 0;
  }

  // Throws RangeError when there is no memory left.
  allocate(bytes: number): number {
    const pointer = this.#wasm.malloc(bytes);
    if (pointer === 0) throw new RangeError(`the runtime has no ${bytes} bytes left`);
    return pointer;
  }

  free(pointer: number): void {
    this.#wasm.free(pointer);
  }

  // The bytes at a pointer, as they lie; valid until the next allocation.
  bytes(pointer: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#wasm.memory.buffer as ArrayBuffer, pointer, length);
  }

  // Copies a view's words into the runtime; the caller frees the pointer.
  storeView(view: TensorView): number {
    const words = [view.shape.length, ...view.shape, view.dims.length, ...view.dims.flat()];
    const pointer = this.allocate(words.length * 4);
    new Int32Array(this.#wasm.memory.buffer, pointer, words.length).set(words);
    return pointer;
  }

  viewValid(view: number): boolean {
    return this.#wasm.hone_view_valid(view) === 1;
  }

  viewElements(view: number): number {
    return this.#wasm.hone_view_elements(view);
  }

  fill(view: number, type: ElementType, { low, high, step = 0, seed }: Generator, pad_bits: number, out: number): void {
    this.#wasm.hone_fill(view, elements[type], low, high, step, Number(seed >> 32n), Number(seed & 0xffffffffn), pad_bits, out);
  }

  compare(view: number, type: ElementType, physical: number, expected: number, { largest, median }: Magnitudes, pads_are_zero: boolean): Comparison {
    const out = this.allocate(4 * 8);
    this.#wasm.hone_compare(view, elements[type], physical, expected, largest, median, pads_are_zero ? 1 : 0, out);
    const values = new Float64Array(this.#wasm.memory.buffer, out, 4);
    const [max_error = NaN, unwritten = 0, worst_index = -1, nonzero_pads = 0] = values;
    this.free(out);
    return { max_error, unwritten, worst_index, nonzero_pads };
  }
}
