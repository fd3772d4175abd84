// Trial: work in the runner that ends with the first request that it refuses, and leaves nothing there.
import type { Attempt } from '../../core/outcome.ts';
import type { Texture } from '../../generated/protocol.ts';
import { textureBytes } from '../../../../browser-runtime/src/device/texture_bytes.ts';
import type { Call, Runner } from './runner.ts';

class Refused extends Error {}

export class Trial {
  readonly #buffers: number[] = [];
  readonly #kernels: number[] = [];
  readonly #programs: number[] = [];

  private constructor(private readonly runner: Runner) {}

  // otherwise: what it gives where the runner refuses.
  static async run<T>(runner: Runner, work: (trial: Trial) => Promise<T>, otherwise: T): Promise<T> {
    const trial = new Trial(runner);
    try {
      return await work(trial);
    } catch (error) {
      if (error instanceof Refused) return otherwise;
      throw error;
    } finally {
      trial.#dispose();
    }
  }

  async make(bytes: number, texture?: Texture): Promise<number> {
    return noted(this.#buffers, valueOf(await this.runner.make(bytes, 0, texture)));
  }

  // Of any content: to write some takes long where it is large.
  async makeAny(texture: Texture): Promise<number> {
    return noted(this.#buffers, valueOf(await this.runner.make(textureBytes(texture), undefined, texture)));
  }

  async build(code: string): Promise<number> {
    return noted(this.#kernels, valueOf(await this.runner.build(new TextEncoder().encode(code))).kernel);
  }

  async bind(calls: readonly Call[]): Promise<number> {
    return noted(this.#programs, valueOf(await this.runner.bind(calls)));
  }

  async write(buffer: number, words: Uint32Array<ArrayBuffer>): Promise<void> {
    valueOf(await this.runner.write(buffer, new Uint8Array(words.buffer)));
  }

  async runNs(program: number, repeats: number): Promise<number> {
    return valueOf(await this.runner.run(program, repeats));
  }

  #dispose(): void {
    for (const program of this.#programs) this.runner.unbind(program);
    for (const kernel of this.#kernels) this.runner.drop(kernel);
    for (const buffer of this.#buffers) this.runner.free(buffer);
  }
}

function valueOf<T>(attempt: Attempt<T>): T {
  if (attempt.ok) return attempt.value;
  throw new Refused(attempt.message);
}

function noted(ids: number[], id: number): number {
  ids.push(id);
  return id;
}
