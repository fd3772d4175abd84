// load: a package, from the URL of its folder to a model that runs.
import type { Backend, Manifest, ModelValue } from '../generated/manifest.ts';
import { candidates, type Candidate } from './candidates.ts';
import { abortError, type Source } from './files.ts';
import { openPlan, type OpenPlan, type Progress } from './open_plan.ts';
import { PackageError } from './package_error.ts';
import { fetchManifest } from './read_manifest.ts';
import { checkInputs, packInputs, unpackOutputs, type TypedArray, type Values } from './values.ts';

export type { ModelValue, Progress, TypedArray, Values };
export { PackageError };

export interface LoadOptions {
  readonly backend?: 'auto' | Backend;
  readonly device?: GPUDevice;                          // the caller's, for WebGPU; it is not destroyed with the model
  readonly onManifest?: (manifest: Description) => void;   // before any weight has come
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;                        // ends the load
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
  // Typed arrays by name, row-major. Several runs may be asked for at once; they run in order.
  run(inputs: Readonly<Values>): Promise<Values>;
  dispose(): void;
}

// url: the package's folder; without one, that of this module. Throws a PackageError of one sentence; nothing half-loaded stays.
export async function load(url: string | URL = new URL('./', import.meta.url), options: LoadOptions = {}): Promise<Model> {
  const source: Source = { folder: folderOf(url), signal: options.signal };
  if (options.signal?.aborted === true) throw abortError(options.signal);
  const manifest = await fetchManifest(source);
  options.onManifest?.(manifest);
  const model = new LoadedModel(source, manifest, options);
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

class LoadedModel implements Model {
  readonly #candidates: AsyncGenerator<Candidate, void>;
  readonly #notes: string[] = [];
  #open: (OpenPlan & { candidate: Candidate }) | undefined;
  #used_last: Candidate | undefined;
  #opening: Promise<void> | undefined;         // of the next plan, when one failed
  #disposed = false;

  constructor(private readonly source: Source, private readonly manifest: Manifest, private readonly options: LoadOptions) {
    this.#candidates = candidates(manifest, { backend: options.backend ?? 'auto', device: options.device }, note => this.#notes.push(note));
  }

  get model(): string {
    return this.manifest.model;
  }

  get inputs(): readonly ModelValue[] {
    return this.manifest.inputs;
  }

  get outputs(): readonly ModelValue[] {
    return this.manifest.outputs;
  }

  get used(): Used {
    const { head, reason, device } = this.#used_last ?? this.#opened().candidate;
    return { backend: head.backend, plan: head.made_for, why: [`The plan is ${reason}.`, ...device.notes, ...this.#notes].join(' ') };
  }

  // The first candidate that opens.
  async open(): Promise<void> {
    for (let next = await this.#candidates.next(); next.done !== true; next = await this.#candidates.next()) {
      const candidate = next.value, { head, device } = candidate;
      try {
        this.#open = { ...await openPlan(this.source, this.manifest, head, device, this.options.onProgress ?? (() => {})), candidate };
        this.#used_last = candidate;
        return;
      } catch (error) {
        if (error instanceof PackageError || this.source.signal?.aborted === true) throw error;
        this.#notes.push(`The plan ${head.made_for} for ${head.backend} failed: ${messageOf(error)}.`);
      }
    }
    throw new PackageError(`No plan of the package runs here. ${this.#notes.join(' ')}`);
  }

  async run(inputs: Readonly<Values>): Promise<Values> {
    checkInputs(this.manifest.inputs, inputs);
    for (;;) {
      if (this.#opening !== undefined) await this.#opening;   // else the inputs are packed before the caller goes on
      const { runner, plan } = this.#opened();
      try {
        return unpackOutputs(this.manifest, plan, await runner.run(packInputs(this.manifest, plan, inputs)));
      } catch (error) {
        if (error instanceof PackageError) throw error;
        if (this.#disposed) throw new PackageError('The model was disposed.');
        await this.#replace(runner, error);
      }
    }
  }

  // Another plan in the place of one that failed, once for all runs that were under way.
  async #replace(failed: OpenPlan['runner'], error: unknown): Promise<void> {
    if (this.#open?.runner !== failed) return;
    const { head } = this.#open.candidate;
    this.#notes.push(`The plan ${head.made_for} for ${head.backend} failed in the middle: ${messageOf(error)}.`);
    failed.dispose();
    this.#open = undefined;
    this.#opening = this.open();
    await this.#opening;
    this.#opening = undefined;
  }

  #opened(): OpenPlan & { candidate: Candidate } {
    if (this.#disposed) throw new PackageError('The model was disposed.');
    if (this.#open === undefined) throw new PackageError(`No plan of the package runs here any more. ${this.#notes.join(' ')}`);
    return this.#open;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#open?.runner.dispose();
    void this.#candidates.return().catch(() => {});   // which disposes the device
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
}
