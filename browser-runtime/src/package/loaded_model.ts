// A model that runs: on the first plan that opens; then, with backend 'auto', on the fastest.
import { backendNames, type Manifest, type ModelValue, type PlanHead } from '../generated/manifest.ts';
import type { Candidate, Wish } from './candidates.ts';
import { Contender, type Course, type Opened } from './contender.ts';
import { FetchedAhead } from './fetched_ahead.ts';
import type { Source } from './files.ts';
import { Gate } from './gate.ts';
import { checkOnGpu, gpuRunOf, namedBuffers } from './gpu_values.ts';
import { KeptFiles } from './kept_files.ts';
import type { LoadOptions, Model, Used } from './load.ts';
import { runOnArrays } from './open_plan.ts';
import { PackageError } from './package_error.ts';
import { Race } from './race.ts';
import type { FetchedManifest } from './read_manifest.ts';
import { Traffic } from './traffic.ts';
import { checkInputs, isGpuBuffer, unpackOutputs, type Inputs, type Values } from './values.ts';
import { keepWinner, recallWinner } from './winners.ts';

type Buffers = Record<string, GPUBuffer>;

export class LoadedModel implements Model {
  #course: Course;
  readonly #notes = new Set<string>();
  readonly #gate = new Gate();               // shut while one plan takes the place of another
  readonly #traffic = new Traffic();
  readonly #over = new AbortController();    // of what goes on after the load
  #contender: Contender | undefined;
  #is_last = false;                          // no other contender is left
  #used_last: Candidate | undefined;
  #measured = '';
  #may_race: boolean;
  #disposed = false;
  private readonly manifest: Manifest;

  // here: of winners.ts, where others are measured.
  constructor(source: Source, private readonly fetched: FetchedManifest, private readonly options: LoadOptions, private readonly here: Promise<string>) {
    const manifest = this.manifest = fetched.manifest;
    this.#course = { source, manifest, failed: new Set<PlanHead>(), onNote: note => this.#notes.add(note) };
    this.#may_race = mayRace(options);
  }

  get #is_auto(): boolean {
    return (this.options.backend ?? 'auto') === 'auto';
  }

  get #wish(): Wish {
    return { backend: this.options.backend ?? 'auto', device: this.options.device, quickest: this.#may_race };
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
    return { backend: head.backend, plan: head.made_for, why: [`The plan is ${reason}${this.#measured}.`, ...device.notes, ...this.#notes].join(' ') };
  }

  async open(): Promise<void> {
    const { source, onNote } = this.#course, kept = await KeptFiles.open(source.folder, this.manifest, onNote);
    const kept_source = { ...source, kept }, [first] = this.manifest.chunks;
    // Whatever plan it will be, it wants weights.
    const ahead = new Map(first === undefined ? [] : [[first.file, new FetchedAhead(kept_source, first)]]);
    this.#course = { ...this.#course, source: { ...kept_source, ahead } };
    await this.#openBest();
    ahead.clear();
    void kept?.finish(this.fetched, source.folder).catch(() => {});   // old files stay
  }

  // The fastest of before, where that is known; else the first that opens.
  async #openBest(): Promise<void> {
    const winner = this.#may_race ? await recallWinner(this.manifest, this.here) : undefined;
    if (winner !== undefined && (this.#is_auto || winner.head.backend === this.options.backend)) {
      const contender = this.#contender = new Contender(this.#course, { backend: winner.head.backend, fastest: winner.head, device: undefined, quickest: false });
      const opened = await this.#openNext(contender) !== undefined;
      this.#may_race = !opened || (this.options.tuneOnDevice === true && !winner.of_all);
      if (opened) return;
    }
    await this.#openFirst();
  }

  async #openFirst(): Promise<void> {
    if (this.#contender !== undefined && await this.#openNext(this.#contender) !== undefined) return;
    if (!this.#is_last) {
      this.#is_last = true;
      this.#contender?.dispose();
      if (await this.#openNext(this.#contender = new Contender(this.#course, this.#wish)) !== undefined) return;
    }
    throw new PackageError(`No plan of the package runs here. ${[...this.#notes].join(' ')}`);
  }

  async #openNext(contender: Contender): Promise<Opened | undefined> {
    const opened = await contender.openNext(this.options.onProgress);
    if (opened !== undefined) this.#used_last = opened.candidate;
    return opened;
  }

  run(inputs: Readonly<Inputs>, options: { readonly outputs: 'gpu' }): Promise<Buffers>;
  run(inputs: Readonly<Inputs>, options?: { readonly outputs?: 'arrays' }): Promise<Values>;
  async run(inputs: Readonly<Inputs>, { outputs: as = 'arrays' }: { readonly outputs?: 'arrays' | 'gpu' } = {}): Promise<Values | Buffers> {
    checkInputs(this.manifest.inputs, inputs);
    const outputs = await this.#gate.pass(() => this.#run(inputs, as));
    if (this.#may_race && !this.#disposed) {
      this.#may_race = false;
      void this.#race(copyOf(inputs as Values)).catch(() => {});   // the model was disposed, or what ran has failed, which the next run notices
    }
    return outputs;
  }

  async #run(inputs: Readonly<Inputs>, as: 'arrays' | 'gpu'): Promise<Values | Buffers> {
    const opened = this.#opened();
    try {
      if (as === 'gpu' || Object.values(inputs).some(isGpuBuffer)) return await this.#runOnGpu(opened, inputs, as);
      return await this.#traffic.count(runOnArrays(this.manifest, opened, inputs as Values));
    } catch (error) {
      if (error instanceof PackageError) throw error;
      if (this.#disposed) throw new PackageError('The model was disposed.');
      await this.#gate.shutWhile(() => this.#replace(opened.runner, error));
      return this.#gate.pass(() => this.#run(inputs, as));
    }
  }

  async #runOnGpu({ runner, plan, candidate: { head } }: Opened, inputs: Readonly<Inputs>, as: 'arrays' | 'gpu'): Promise<Values | Buffers> {
    const { device } = this.options;
    if (device === undefined) throw new PackageError('GPUBuffers go in and out of a model that was loaded with the device they belong to: load(url, { device }).');
    if (runner.runOnGpu === undefined) throw new PackageError(`GPUBuffers go in and out of WebGPU alone, and ${head.backend} runs the model here. ${this.used.why}`);
    const run = gpuRunOf(this.manifest, plan, inputs, device, as === 'arrays'), content = await this.#traffic.count(runner.runOnGpu(run));
    if (run.outputs === undefined) return unpackOutputs(this.manifest, plan, content);
    checkOnGpu(this.manifest, run, content);
    return namedBuffers(this.manifest, plan, run.outputs);
  }

  // Another plan in the place of one that failed, once for all runs that were under way.
  async #replace(failed: Opened['runner'], error: unknown): Promise<void> {
    if (this.#contender?.open?.runner !== failed) return;
    this.#contender.drop(error);
    this.#measured = '';
    await this.#openFirst();
    this.options.onUsed?.(this.used);
  }

  // Each other plan that there is to try in turn, against what runs.
  async #race(inputs: Readonly<Values>): Promise<void> {
    const of_all = this.options.tuneOnDevice === true, rivals = of_all ? this.#plans() : this.#backends();
    if (rivals.length === 0) return;
    const race = of_all ? Race.ofPlans() : Race.ofBackends(1 + rivals.length);
    await this.#time(race, this.#opened(), inputs);
    for (const rival of rivals) await this.#raceWith({ ...rival, device: undefined, quickest: false }, race, inputs);
    if (race.times.length > 1) this.#measured = `; ${race}`;
    await keepWinner(this.manifest, { head: this.#opened().candidate.head, of_all });
    this.options.onUsed?.(this.used);
  }

  #backends(): Pick<Wish, 'backend'>[] {
    const others = backendNames.filter(name => name !== this.used.backend && this.manifest.plans.some(({ backend }) => backend === name));
    return others.map(backend => ({ backend }));
  }

  #plans(): Pick<Wish, 'backend' | 'only'>[] {
    const { head } = this.#opened().candidate, wanted = this.manifest.plans.filter(plan => plan !== head && (this.#is_auto || plan.backend === this.options.backend));
    return wanted.map(only => ({ backend: only.backend, only }));
  }

  async #raceWith(wish: Wish, race: Race, inputs: Readonly<Values>): Promise<void> {
    const rival = new Contender({ ...this.#course, source: { ...this.#course.source, signal: this.#over.signal } }, wish);
    try {
      await this.#traffic.calm();
      const opened = await rival.openNext().catch(() => undefined);   // a file that is missing now
      if (opened === undefined || !await this.#time(race, opened, inputs) || !race.lastBeats(this.#nameOf(this.#opened()))) return rival.dispose();
      await this.#gate.shutWhile(() => this.#giveWayTo(rival, opened));
    } catch (error) {
      rival.dispose();
      throw error;
    }
  }

  #nameOf({ candidate: { head } }: Opened): string {
    return this.options.tuneOnDevice === true ? `${head.backend} (${head.made_for})` : head.backend;
  }

  // Runs that were asked for before end where they began.
  async #giveWayTo(rival: Contender, { candidate }: Opened): Promise<void> {
    await this.#traffic.drained();
    this.#opened();
    this.#contender?.dispose();
    this.#contender = rival;
    this.#is_last = false;
    this.#used_last = candidate;
  }

  #time(race: Race, opened: Opened, inputs: Readonly<Values>): Promise<boolean> {
    return race.measure(this.#nameOf(opened), async () => {
      await this.#traffic.calm();
      this.#opened();
      return this.#traffic.time(() => runOnArrays(this.manifest, opened, inputs));
    });
  }

  #opened(): Opened {
    if (this.#disposed) throw new PackageError('The model was disposed.');
    if (this.#contender?.open === undefined) throw new PackageError(`No plan of the package runs here any more. ${[...this.#notes].join(' ')}`);
    return this.#contender.open;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#over.abort();
    this.#contender?.dispose();
  }
}

// Whether others are measured behind the first run.
export function mayRace({ backend = 'auto', device, race, tuneOnDevice }: LoadOptions): boolean {
  return device === undefined && (tuneOnDevice === true || (race !== false && backend === 'auto'));
}

// The caller may go on writing to its own.
function copyOf(inputs: Readonly<Values>): Values {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, value.slice()]));
}
