// The mathematics that kernels of WebAssembly import: a module without a memory of the kernels'.
// What kernels may import from env besides the memory; build.sh exports them.
const libm_names = ['expf', 'exp2f', 'logf', 'log2f', 'tanhf', 'erff', 'sinf', 'cosf', 'powf', 'fmodf', 'roundf', 'rintf', 'fmaf'] as const;
export type Libm = Readonly<Record<(typeof libm_names)[number], (...values: number[]) => number>>;

interface Exports {
  _initialize(): void;
  hone_reference(args: number, begin: number, end: number): void;
}

type Made<T> = new (exports: WebAssembly.Exports) => T;

export class Runtime {
  readonly #wasm: Exports & Libm;

  constructor(exports: WebAssembly.Exports) {
    this.#wasm = exports as unknown as Exports & Libm;
  }

  static async load<T extends Runtime>(this: Made<T>, url: URL): Promise<T> {
    return Runtime.instantiate.call(this, await Runtime.compile(url)) as Promise<T>;
  }

  // Its code, which other workers of the page may instantiate, too.
  static async compile(url: URL): Promise<WebAssembly.Module> {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url.pathname} answered ${response.status}; is all of it there?`);
    return WebAssembly.compile(await response.arrayBuffer());
  }

  static async instantiate<T extends Runtime>(this: Made<T>, module: WebAssembly.Module): Promise<T> {
    const { exports } = await WebAssembly.instantiate(module, {
      env: { emscripten_notify_memory_growth: () => {} },
      wasi_snapshot_preview1: { proc_exit: () => {} },
    });
    (exports as unknown as Exports)._initialize();
    return new this(exports);
  }

  get libm(): Libm {
    return Object.fromEntries(libm_names.map(name => [name, this.#wasm[name]])) as unknown as Libm;
  }

  // A kernel of its own, always the same work per iteration.
  get reference(): (args: number, begin: number, end: number) => void {
    return this.#wasm.hone_reference;
  }
}
