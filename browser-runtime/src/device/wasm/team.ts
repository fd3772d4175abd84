// Team: the threads that run kernels. Its leader is the device's worker; helpers are workers of its own, on the same shared memory.
import type { Attempt } from '../outcome.ts';
import { failure, success } from '../outcome.ts';
import type { Runtime } from '../runtime.ts';
import type { ArgumentPlace } from './arguments.ts';
import { ControlBlock } from './control_block.ts';
import { reference_code, type FromHelper, type ToHelper } from './helper.ts';
import { compileModule, instantiateMain, type Main } from './module.ts';
import { ThreadChoice, type RunNs } from './thread_choice.ts';

// A kernel's code on every thread.
export interface Code {
  readonly id: number;
}

export interface Launch extends ArgumentPlace {
  code: Code;
  extent: number;                // iterations of its parallel loop
  threads: number;               // 1: the leader alone; else all
}

// A helper's thread, as its leader sees it.
export interface HelperLink {
  post(message: ToHelper): void;
  terminate(): void;
}

export type SpawnHelper = (onMessage: (message: FromHelper) => void, onCrash: (reason: string) => void) => HelperLink;

const ranges_per_thread = 4;     // of a launch: who is early takes another one
const start_ms_max = 3000;

type Answer = (error: string) => void;

export class Team {
  readonly #imports: WebAssembly.ModuleImports;
  readonly #mains = new Map<number, Main>();
  readonly #modules = new Map<number, WebAssembly.Module>();
  readonly #control: ControlBlock | undefined;
  #helpers: HelperLink[] = [];
  #answers = new Map<number, Answer[]>();   // awaited from helpers, by code
  #next_id = reference_code + 1;

  private constructor(runtime: Runtime, memory: WebAssembly.Memory, control: ControlBlock | undefined) {
    this.#imports = { memory, ...runtime.libm };
    this.#mains.set(reference_code, runtime.reference);
    this.#control = control;
  }

  static alone(runtime: Runtime, memory: WebAssembly.Memory): Team {
    return new Team(runtime, memory, undefined);
  }

  // memory is shared. Rejects when a helper does not start.
  static async gather({ runtime, code, memory, helpers, spawn }: { runtime: Runtime; code: WebAssembly.Module; memory: WebAssembly.Memory; helpers: number; spawn: SpawnHelper }): Promise<Team> {
    const control = ControlBlock.make(helpers);
    const team = new Team(runtime, memory, control);
    const started = Array.from({ length: helpers }, (_, i) => team.#start(spawn, { kind: 'start', runtime: code, memory, control: control.buffer, thread: i + 1 }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, refuse) => { timer = setTimeout(() => refuse(new Error(`they did not start within ${start_ms_max / 1000} s`)), start_ms_max); });
    try {
      await Promise.race([Promise.all(started), late]);
      return team;
    } catch (error) {
      team.dispose();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  get threads(): number {
    return this.#helpers.length + 1;
  }

  // The runtime's own small kernel.
  get reference(): Code {
    return { id: reference_code };
  }

  async add(module: WebAssembly.Module): Promise<Attempt<Code>> {
    const made = instantiateMain(module, this.#imports);
    if (!made.ok) return made;
    const id = this.#next_id++;
    this.#mains.set(id, made.value);
    this.#modules.set(id, module);
    const answers = this.#helpers.map(helper => new Promise<string>(answer => {
      this.#answers.set(id, [...this.#answers.get(id) ?? [], answer]);
      helper.post({ kind: 'add', id, module });
    }));
    const error = (await Promise.all(answers)).find(answer => answer !== '');
    this.#answers.delete(id);
    if (error === undefined) return success({ id });
    this.remove({ id });
    return failure('validation_error', error);
  }

  moduleOf({ id }: Code): WebAssembly.Module {
    return this.#modules.get(id)!;
  }

  remove({ id }: Code): void {
    this.#mains.delete(id);
    this.#modules.delete(id);
    for (const helper of this.#helpers) helper.post({ kind: 'remove', id });
  }

  // The threads that these launches want stand ready while `work` runs them: from its beginning, or (eager) each from when it comes, which takes a
  // message's time, or longer where another program has its processor.
  work<T>(launches: readonly Launch[], work: () => T, eager = false): T {
    const control = this.#control;
    if (control === undefined || launches.every(isAlone)) return work();
    const { epoch } = control;
    for (const helper of this.#helpers) helper.post({ kind: 'stand_ready', epoch });
    if (!eager) control.awaitPresence(epoch);
    try {
      return work();
    } finally {
      control.dismiss();
    }
  }

  // Runs the launch, within work, with at least so many calls of its code per thread; throws what the code throws.
  run(launch: Launch, calls_min: number): void {
    const { code, args, args_stride, extent } = launch, main = this.#mains.get(code.id);
    if (main === undefined) throw new Error(`the code ${code.id} is gone`);
    if (this.#control === undefined || isAlone(launch)) return runAlone(main, launch, calls_min);
    const calls = Math.max(calls_min, ranges_per_thread) * this.threads;
    this.#runTogether(this.#control, main, { code: code.id, args, args_stride, extent, grain: Math.max(1, Math.ceil(extent / calls)) });
  }

  #runTogether(control: ControlBlock, main: Main, launch: Parameters<ControlBlock['post']>[0]): void {
    control.post(launch);
    try {
      control.takeRanges(main, 0);
    } finally {
      control.closeGate();
    }
    const fault = control.takeFault();
    if (fault !== undefined) throw new Error(fault);
  }

  #start(spawn: SpawnHelper, message: Extract<ToHelper, { kind: 'start' }>): Promise<void> {
    return new Promise((done, refuse) => {
      const helper = spawn(said => {
        if (said.kind === 'started') done();
        else this.#answers.get(said.id)?.shift()?.(said.error);
      }, reason => refuse(new Error(reason)));
      helper.post(message);
      this.#helpers.push(helper);
    });
  }

  // Finds out for warm launches which are faster alone; throws what the code throws. Outside of work. undefined: there is nothing to choose.
  settleThreads(launches: readonly Launch[], quantum_ns: number): ThreadChoice | undefined {
    if (this.threads === 1) return undefined;
    const runNs: RunNs = (alone, times) => {
      const tried = this.sharing(launches, alone);
      return this.work(tried, () => this.timeNs(tried, times));
    };
    const choice = ThreadChoice.settle(runNs, { may_share: launches.map(({ extent }) => extent > 1), quantum_ns });
    this.share(launches, choice.alone);
    return choice;
  }

  share(launches: readonly Launch[], alone: readonly boolean[]): void {
    for (const [i, launch] of launches.entries()) launch.threads = alone[i] === true ? 1 : this.threads;
  }

  // The same launches, of which some run alone.
  sharing(launches: readonly Launch[], alone: readonly boolean[]): Launch[] {
    const tried = launches.map(launch => ({ ...launch }));
    this.share(tried, alone);
    return tried;
  }

  // Of each launch. Of one launch all runs are timed together: the clock's steps may be longer than it. Within work.
  timeNs(launches: readonly Launch[], times: number): number[] {
    const spent = launches.map(() => 0), batch = launches.length === 1 ? times : 1;
    for (let time = 0; time < times; time += batch) {
      for (const [i, launch] of launches.entries()) {
        const started = performance.now();
        for (let k = 0; k < batch; k++) this.run(launch, 1);
        spent[i]! += (performance.now() - started) * 1e6;
      }
    }
    return spent;
  }

  dispose(): void {
    for (const helper of this.#helpers) helper.terminate();
    this.#helpers = [];
  }
}

function isAlone({ threads, extent }: Launch): boolean {
  return threads === 1 || extent === 1;
}

function runAlone(main: Main, { args, extent }: { args: number; extent: number }, calls_min: number): void {
  const grain = Math.max(1, Math.ceil(extent / calls_min));
  for (let begin = 0; begin < extent; begin += grain) main(args, begin, Math.min(begin + grain, extent));
}

export interface Added {
  codes: Code[];
  compile_ms: number;            // without the wait for threads that are busy with something else
}

// Codes of all modules, or of none.
export async function addAll(team: Team, modules: readonly Uint8Array<ArrayBuffer>[]): Promise<Attempt<Added>> {
  const started = performance.now();
  const compiled = modules.map(compileModule);
  const compile_ms = performance.now() - started;
  const made = await Promise.all(compiled.map(module => (module.ok ? team.add(module.value) : module)));
  const codes = made.flatMap(one => (one.ok ? [one.value] : []));
  const bad = made.find(one => !one.ok);
  if (bad === undefined || bad.ok) return success({ codes, compile_ms });
  for (const code of codes) team.remove(code);
  return bad;
}
