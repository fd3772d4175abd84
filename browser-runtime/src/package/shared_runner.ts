// SharedRunner: the runner of a plan in a worker whose memory the page shares. Inputs are packed into their places and outputs read from theirs, so nothing is
// copied on the way; a run begins once the outputs of the one before have been read. Short ones run on the page's own thread.
import { PageThread } from '../device/wasm/page_thread.ts';
import type { InputPlaces } from './input_memory.ts';
import { bytesOf, type Upload } from '../plan/plan.ts';
import type { Ran } from './device.ts';
import { disposed } from './disposed.ts';
import type { WorkerLink } from './worker_link.ts';
import type { SharedPlaces } from './worker_messages.ts';
import { WorkerRunner } from './worker_runner.ts';

export class SharedRunner extends WorkerRunner implements InputPlaces {
  readonly #inputs: ReadonlyMap<number, number>;
  #page: PageThread | undefined;
  #last: Promise<void> = Promise.resolve();
  #under_way = 0;
  #disposed = false;

  constructor(link: Pick<WorkerLink, 'ask'>, private readonly shared: SharedPlaces, dispose: () => void) {
    super(link, () => {
      this.#disposed = true;
      this.#page?.dispose();
      dispose();
    });
    this.#inputs = new Map(shared.inputs);
  }

  override get places(): InputPlaces {
    return this;
  }

  // Only while no run is under way, which may read it.
  contentOf(buffer: number, bytes: number): Uint8Array | undefined {
    const at = this.#inputs.get(buffer);
    return at === undefined || this.#under_way > 0 ? undefined : new Uint8Array(this.shared.memory, at, bytes);
  }

  override async settle(inputs: readonly Upload[]): Promise<void> {
    const { page } = await this.give('settle', inputs);
    if (page !== undefined) this.#page = await PageThread.open(page).catch(() => undefined);   // the page may have a stricter policy than its worker
  }

  override async run(inputs: readonly Upload[]): Promise<Ran> {
    const before = this.#last, release = this.#begin(), moved = inputs.filter(input => !this.#isInPlace(input));
    try {
      await before;
      const taken = this.#page === undefined ? (await this.give('run_in_place', moved)).ran?.inputs ?? [] : await this.#runHere(this.#page, moved);
      return { outputs: this.shared.outputs.map(({ at, bytes }) => new Uint8Array(this.shared.memory, at, bytes)), inputs: taken, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #runHere(page: PageThread, moved: readonly Upload[]): Promise<readonly Upload[]> {
    await page.breathe();
    if (this.#disposed) throw disposed();
    for (const upload of moved) new Uint8Array(this.shared.memory).set(bytesOf(upload), this.#inputs.get(upload.buffer));
    page.run();
    return moved;
  }

  #isInPlace(input: Upload): boolean {
    return bytesOf(input).buffer as ArrayBufferLike === this.shared.memory;
  }

  // What ends the run, for the next one.
  #begin(): () => void {
    this.#under_way++;
    let release = (): void => {};
    this.#last = new Promise(done => {
      release = () => {
        this.#under_way--;
        done();
      };
    });
    return release;
  }
}
