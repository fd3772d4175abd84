// The types of index.js, as they are shipped beside those of a package (index_types.test.ts holds them against load.ts).
export type TypedArray = Float32Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array | Int16Array | Uint16Array | Int8Array | Uint8Array | Uint8ClampedArray;
export type Values = Record<string, TypedArray>;
export type Inputs = Record<string, TypedArray | GPUBuffer>;
export type Backend = 'webgpu' | 'webgl' | 'wasm';

/** An input or output: its name, element type (f32, f64, f16, i32, u32, i64, u64, i16, u16, i8, u8, bool; f64 and f16 go in and out as Float32Array) and extents. */
export interface ModelValue {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Of an output whose size only a run tells: by dimension 1 + the position of the output that says how much of it counts, or 0; shape has the most. */
  readonly lengths?: readonly number[];
  /** Of the last output, where whole numbers of 64 bits may leave the 32 in which devices compute them: values that are watched. It is 0, or 1 + the position of the first that has left; run() rejects then. */
  readonly watched?: readonly string[];
}

/** sha256- and the digest in base64, as the integrity attribute of HTML has it. */
export type Integrity = string | Readonly<Record<string, string>>;

/** What a package says of its model. */
export interface Description {
  readonly model: string;
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
}

/** total: bytes of all files. bytes: of them what has come, of which the warm-up holds the last part back: at the total all is ready. */
export interface Progress {
  readonly bytes: number;
  readonly total: number;
  readonly stage: 'download' | 'warm-up' | 'ready';
}

export interface LoadOptions {
  readonly backend?: 'auto' | Backend;
  /** Of a package for several sizes of its model's inputs: those wanted, by name ({ batch: 8 }); without it, the first ones. */
  readonly dims?: Readonly<Record<string, number>>;
  /** Of the package's manifest, or of its files by name (integrity.json): altered ones are refused. */
  readonly integrity?: Integrity;
  /** The caller's own device for WebGPU; it is not destroyed with the model. */
  readonly device?: GPUDevice;
  /** Called before any weight has come. */
  readonly onManifest?: (manifest: Description) => void;
  readonly onProgress?: (progress: Progress) => void;
  /** Called when another plan runs than before, or when all backends have been measured. */
  readonly onUsed?: (used: Used) => void;
  /** Ends the load. */
  readonly signal?: AbortSignal;
  /** false: with 'auto', what runs first stays, and nothing is measured. */
  readonly race?: boolean;
  /** true: behind the first run every plan of the package that the device can run is measured, also those for other devices, and the fastest is kept. */
  readonly tuneOnDevice?: boolean;
}

/** What runs the model: the backend, the device that the plan was made for, and sentences on why this one and what was passed over. */
export interface Used {
  readonly backend: Backend;
  readonly plan: string;
  readonly why: string;
}

export interface Model extends Description {
  readonly used: Used;
  /**
   * Typed arrays by name, row-major; with the caller's own device also its GPUBuffers, elements of four bytes. Several runs may be asked for at once;
   * they run in order. outputs 'gpu': buffers of that device, which are the caller's to destroy.
   */
  run(inputs: Readonly<Inputs>, options: { readonly outputs: 'gpu' }): Promise<Record<string, GPUBuffer>>;
  run(inputs: Readonly<Inputs>, options?: { readonly outputs?: 'arrays' }): Promise<Values>;
  dispose(): void;
}

/** What is wrong, in one sentence. */
export declare class PackageError extends Error {
  override readonly name: 'PackageError';
}

/** url: the package's folder; without one, that of this module. Nothing half-loaded stays. */
export declare function load(url?: string | URL, options?: LoadOptions): Promise<Model>;
