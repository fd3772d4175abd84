// Team: the threads that run kernels.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { instantiateMain, type Main } from './module.ts';

// A kernel's code on every thread.
export interface Code {
  readonly id: number;
}

export interface Launch {
  code: Code;
  args: number;                  // address of its buffers' addresses
  extent: number;                // iterations of its parallel loop
}

export class Team {
  readonly threads: number = 1;
  readonly #imports: WebAssembly.ModuleImports;
  readonly #mains = new Map<number, Main>();
  #next_id = 0;

  constructor(imports: WebAssembly.ModuleImports) {
    this.#imports = imports;
  }

  async add(module: WebAssembly.Module): Promise<Attempt<Code>> {
    const made = instantiateMain(module, this.#imports);
    if (!made.ok) return made;
    return success(this.addMain(made.value));
  }

  // A function that every thread has anyhow.
  addMain(main: Main): Code {
    const id = this.#next_id++;
    this.#mains.set(id, main);
    return { id };
  }

  remove(code: Code): void {
    this.#mains.delete(code.id);
  }

  // All threads stand ready for the launches that `work` runs.
  work<T>(work: () => T): T {
    return work();
  }

  // Runs the launch in about so many calls of its code, at least; throws what the code throws.
  run({ code, args, extent }: Launch, calls_min: number): void {
    const main = this.#mains.get(code.id);
    if (main === undefined) throw new Error(`the code ${code.id} is gone`);
    const grain = Math.max(1, Math.ceil(extent / calls_min));
    for (let begin = 0; begin < extent; begin += grain) main(args, begin, Math.min(begin + grain, extent));
  }
}
