// Helper: a thread of a team besides its leader. It takes messages while nothing runs, and none while it stands ready for launches.
import { Runtime } from '../runtime.ts';
import { ControlBlock } from './control_block.ts';
import { describe, instantiateMain, type Main } from './module.ts';

export type ToHelper =
  | { kind: 'start'; runtime: WebAssembly.Module; memory: WebAssembly.Memory; control: SharedArrayBuffer; thread: number }
  | { kind: 'add'; id: number; module: WebAssembly.Module }
  | { kind: 'remove'; id: number }
  | { kind: 'stand_ready'; epoch: number };   // until the leader dismisses

export type FromHelper =
  | { kind: 'started' }
  | { kind: 'added'; id: number; error: string };   // error: empty when all went well

// The code of the runtime's reference kernel, which each thread has of its own.
export const reference_code = 0;

export class Helper {
  readonly #imports: WebAssembly.ModuleImports;
  readonly #control: ControlBlock;
  readonly #thread: number;      // 1 and up; the leader is 0
  readonly #mains = new Map<number, Main>();

  private constructor(runtime: Runtime, memory: WebAssembly.Memory, control: SharedArrayBuffer, thread: number) {
    this.#thread = thread;
    this.#imports = { memory, ...runtime.libm };
    this.#control = ControlBlock.of(control);
    this.#mains.set(reference_code, runtime.reference);
  }

  // The runtime's instance is this thread's own, its memory, too: libm may use its stack.
  static async start({ runtime, memory, control, thread }: Extract<ToHelper, { kind: 'start' }>): Promise<Helper> {
    return new Helper(await Runtime.instantiate(runtime), memory, control, thread);
  }

  // The error, or an empty text.
  add(id: number, module: WebAssembly.Module): string {
    const main = instantiateMain(module, this.#imports);
    if (main.ok) this.#mains.set(id, main.value);
    return main.ok ? '' : main.message;
  }

  remove(id: number): void {
    this.#mains.delete(id);
  }

  standReady(epoch: number): void {
    const control = this.#control, thread = this.#thread;
    control.enter(thread, epoch);
    for (let code = control.joinLaunch(epoch); code !== undefined; code = control.joinLaunch(epoch)) {
      epoch = control.epoch;
      try {
        const main = this.#mains.get(code);
        if (main === undefined) throw new Error(`a thread has no code ${code}`);
        control.takeRanges(main, thread);
      } catch (error) {
        control.fail(describe(error));
      }
      control.leaveLaunch();
    }
  }
}
