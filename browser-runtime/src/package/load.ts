// load: a package, from the URL of its folder to a model that runs.
import type { Backend, ModelValue } from '../generated/manifest.ts';
import { abortError, type Source } from './files.ts';
import { checkRuntime, type Integrity } from './integrity.ts';
import { LoadedModel, mayRace } from './loaded_model.ts';
import type { Progress } from './open_plan.ts';
import { PackageError } from './package_error.ts';
import { fetchManifest } from './read_manifest.ts';
import type { Inputs, TypedArray, Values } from './values.ts';
import { thisPlace } from './winners.ts';

export type { Inputs, Integrity, ModelValue, Progress, TypedArray, Values };
export { PackageError };

export interface LoadOptions {
  readonly backend?: 'auto' | Backend;
  readonly dims?: Readonly<Record<string, number>>;     // of a package for several sizes: those wanted, by name; without it, the first ones
  readonly integrity?: Integrity;                       // of the package's manifest, or of its files by name: altered ones are refused
  readonly device?: GPUDevice;                          // the caller's, for WebGPU; it is not destroyed with the model
  readonly onManifest?: (manifest: Description) => void;   // before any weight has come
  readonly onProgress?: (progress: Progress) => void;
  readonly onUsed?: (used: Used) => void;               // when another plan runs than before, or all have been measured
  readonly signal?: AbortSignal;                        // ends the load
  readonly race?: boolean;                              // false: with 'auto', what runs first stays, and nothing is measured
  readonly tuneOnDevice?: boolean;                      // true: behind the first run every plan that the device can run is measured
}

// What a package says of its model.
export interface Description {
  readonly model: string;
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
}

export interface Used {
  readonly backend: Backend;
  readonly plan: string;         // the device that it was made for, or portable
  readonly why: string;          // sentences: why this one, and what was passed over
}

export interface Model extends Description {
  readonly used: Used;
  // Typed arrays by name, row-major; with the caller's own device also its GPUBuffers, elements of four bytes. Several runs may be asked for at once;
  // they run in order. outputs 'gpu': buffers of that device, which are the caller's to destroy.
  run(inputs: Readonly<Inputs>, options: { readonly outputs: 'gpu' }): Promise<Record<string, GPUBuffer>>;
  run(inputs: Readonly<Inputs>, options?: { readonly outputs?: 'arrays' }): Promise<Values>;
  dispose(): void;
}

// url: the package's folder; without one, that of this module. Throws a PackageError of one sentence; nothing half-loaded stays.
export async function load(url: string | URL = new URL('./', import.meta.url), options: LoadOptions = {}): Promise<Model> {
  const source: Source = { folder: folderOf(url), signal: options.signal, integrity: options.integrity };
  if (options.signal?.aborted === true) throw abortError(options.signal);
  const here = mayRace(options) ? thisPlace() : Promise.resolve('');   // while the manifest comes
  here.catch(() => {});   // nothing is known of it then
  const [fetched] = await Promise.all([fetchManifest(source, options.dims), checkRuntime(options.integrity, new URL('./', import.meta.url))]);
  options.onManifest?.(fetched.manifest);
  const model = new LoadedModel(source, fetched, options, here);
  try {
    await model.open();
    return model;
  } catch (error) {
    model.dispose();
    throw error;
  }
}

function folderOf(url: string | URL): URL {
  const absolute = new URL(url, globalThis.location?.href ?? import.meta.url);
  return absolute.pathname.endsWith('/') ? absolute : new URL(`${absolute.href}/`);
}
