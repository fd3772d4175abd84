// The WASM boundary: the only file that knows the runtime's exports (runtime/exports.cc) and its memory.
// Pointers are byte offsets into the runtime's memory; a view of that memory dies when it grows, so none is kept.

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

export interface Comparison {
  max_error: number;
  max_reference: number;
  unwritten: number;
  worst_index: number;
  nonzero_pads: number;
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(bytes: number): number;
  free(pointer: number): void;
  hone_view_valid(view: number): number;
  hone_view_elements(view: number): number;
  hone_fill(view: number, element: number, seed_high: number, seed_low: number, pad_bits: number, out: number): void;
  hone_compare(view: number, element: number, physical: number, expected: number, pads_are_zero: number, out: number): void;
  hone_poison_bits(): number;
  hone_reference(args: number, begin: number, end: number): void;
}

// What kernels may import from env besides the memory; build.sh exports them.
const libm_names = ['expf', 'exp2f', 'logf', 'log2f', 'tanhf', 'erff', 'sinf', 'cosf', 'powf', 'fmodf', 'roundf', 'rintf', 'fmaf'] as const;
export type Libm = Readonly<Record<(typeof libm_names)[number], (...values: number[]) => number>>;

export class Runtime {
  readonly poison_bits: number;
  readonly #wasm: Exports & Libm;

  private constructor(exports: Exports & Libm) {
    this.#wasm = exports;
    this.poison_bits = exports.hone_poison_bits() >>> 0;
  }

  static async load(url: URL): Promise<Runtime> {
    return Runtime.instantiate(await Runtime.compile(url));
  }

  // The runtime's code, which other workers of the page may instantiate, too.
  static async compile(url: URL): Promise<WebAssembly.Module> {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}; is the agent built? (npm run build)`);
    return WebAssembly.compile(await response.arrayBuffer());
  }

  static async instantiate(module: WebAssembly.Module): Promise<Runtime> {
    const instance = await WebAssembly.instantiate(module, {
      env: { emscripten_notify_memory_growth: () => {} },
      wasi_snapshot_preview1: { proc_exit: () => {} },
    });
    const exports = instance.exports as unknown as Exports & Libm;
    exports._initialize();
    return new Runtime(exports);
  }

  get libm(): Libm {
    return Object.fromEntries(libm_names.map(name => [name, this.#wasm[name]])) as unknown as Libm;
  }

  // A kernel of the agent's own, always the same work per iteration.
  get reference(): (args: number, begin: number, end: number) => void {
    return this.#wasm.hone_reference;
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

  fill(view: number, type: ElementType, seed: bigint, pad_bits: number, out: number): void {
    this.#wasm.hone_fill(view, elements[type], Number(seed >> 32n), Number(seed & 0xffffffffn), pad_bits, out);
  }

  compare(view: number, type: ElementType, physical: number, expected: number, pads_are_zero: boolean): Comparison {
    const out = this.allocate(5 * 8);
    this.#wasm.hone_compare(view, elements[type], physical, expected, pads_are_zero ? 1 : 0, out);
    const values = new Float64Array(this.#wasm.memory.buffer, out, 5);
    const [max_error = NaN, max_reference = 0, unwritten = 0, worst_index = -1, nonzero_pads = 0] = values;
    this.free(out);
    return { max_error, max_reference, unwritten, worst_index, nonzero_pads };
  }
}
