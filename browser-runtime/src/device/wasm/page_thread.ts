// PageThread: short launches on the thread that owns the page, on the memory of the worker that has opened them. What takes no longer than a message's way to the
// worker and back is done at once.
import { EventTurn } from '../event_turn.ts';
import { Runtime } from '../runtime.ts';
import { mainOf, type Main } from './module.ts';

export interface PageLaunch {
  readonly module: number;       // of the modules
  readonly args: number;         // address
  readonly extent: number;
}

// All of a run, in order. runtime: its code, for the mathematics that kernels import.
export interface PageWork {
  readonly memory: WebAssembly.Memory;
  readonly runtime: WebAssembly.Module;
  readonly modules: readonly WebAssembly.Module[];
  readonly launches: readonly PageLaunch[];
}

export const run_ms_max = 1;     // of all launches: a sixteenth of the time between two pictures, at 60 a second
const busy_ms_max = 4;           // of runs, behind which the page has its turn, whoever asks for one after the other

export class PageThread {
  readonly #turn = new EventTurn();
  #busy_ms = 0;                  // since the page's last turn

  private constructor(private readonly launches: readonly (PageLaunch & { readonly main: Main })[]) {}

  // Rejects where the code does not fit together.
  static async open({ memory, runtime, modules, launches }: PageWork): Promise<PageThread> {
    const { libm } = await Runtime.instantiate(runtime), env = { memory, ...libm };
    const mains = await Promise.all(modules.map(async module => mainOf(await WebAssembly.instantiate(module, { env }))));
    return new PageThread(launches.map(launch => ({ ...launch, main: mains[launch.module]! })));
  }

  // Throws what the code throws.
  run(): void {
    const started = performance.now();
    for (const { main, args, extent } of this.launches) main(args, 0, extent);
    this.#busy_ms += performance.now() - started;
  }

  // Before a run: the page's turn, where it is due.
  async breathe(): Promise<void> {
    if (this.#busy_ms < busy_ms_max) return;
    await this.#turn.take();
    this.#busy_ms = 0;
  }

  dispose(): void {
    this.#turn.dispose();
  }
}
