// WebAssembly in a worker: one plan.
import copy_rows from '../../../browser-agent/dist/copy_rows.wasm';
import { EventTurn } from '../device/event_turn.ts';
import { Runtime } from '../device/runtime.ts';
import { hasThreads } from '../device/wasm/features.ts';
import type { FromHelper } from '../device/wasm/helper.ts';
import { KernelMemory } from '../device/wasm/kernel_memory.ts';
import { withMemory } from '../device/wasm/memory_import.ts';
import { describe } from '../device/wasm/module.ts';
import { run_ms_max } from '../device/wasm/page_thread.ts';
import { Team, type SpawnHelper } from '../device/wasm/team.ts';
import { wallStepNs } from '../device/wall_step.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';
import { WasmPlan } from '../plan/wasm_plan.ts';
import { valueOf } from './device.ts';
import type { Answer, Request, SharedPlaces } from './worker_messages.ts';
import type { Handler } from './worker_service.ts';

const one_thread = 'The page is not cross-origin isolated, so WebAssembly runs on one thread.';
const turn = new EventTurn();

export const helper_name = 'hone helper';

const spawnHelper: SpawnHelper = (onMessage, onCrash) => {
  const worker = new Worker(self.location.href, { type: 'module', name: helper_name });   // this very script: another file would hold most of it again
  worker.onmessage = ({ data }: MessageEvent<FromHelper>) => onMessage(data);
  worker.onerror = event => {
    event.preventDefault();
    onCrash(event.message || 'it could not be loaded');
  };
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
};

export class WasmHost {
  readonly lost = undefined;
  #plan: WasmPlan | undefined;
  #is_warm: boolean;

  private constructor(private readonly code: WebAssembly.Module, private readonly memory: KernelMemory, private readonly team: Team, readonly note: string) {
    this.#is_warm = team.threads === 1;
  }

  static async open({ runtime: url, threads: wanted }: Extract<Request, { kind: 'wasm' }>): Promise<WasmHost> {
    const code = await Runtime.compile(new URL(url)), runtime = await Runtime.instantiate(code);
    const shared = hasThreads(), memory = KernelMemory.make({ shared });
    const { team, note } = await gather(code, runtime, memory.memory, shared ? wanted : 1);
    return new WasmHost(code, memory, team, shared ? note : one_thread);
  }

  readonly handle: Handler = async request => {
    if (request.kind === 'open') {
      const plan = this.#plan = await this.#openPlan(request.spec);
      return hasThreads() ? { shared: this.#placesIn(plan, request.spec) } : {};
    }
    const plan = this.#plan;
    if (plan === undefined) throw new Error('no plan is open');
    switch (request.kind) {
      case 'write':
        valueOf(plan.write(request.upload));
        return {};
      case 'warm_up':
        await this.#warmUp(plan, request.inputs);
        return {};
      case 'settle':
        await this.#warmUp(plan, request.inputs);
        valueOf(plan.settleThreads(wallStepNs()));
        return this.#pageWork(plan);
      case 'run':
        await turn.take();   // helpers and messages get theirs
        return { ran: { outputs: valueOf(plan.run(request.inputs)).outputs, inputs: request.inputs } };
      case 'run_in_place':
        await turn.take();
        valueOf(plan.runInPlace(request.inputs));
        return { ran: { outputs: new ArrayBuffer(0), inputs: request.inputs } };
      default:
        return {};   // its code came with its memory, and the worker ends with it
    }
  };

  async #openPlan(spec: PlanSpec): Promise<WasmPlan> {
    const kernels = spec.kernels.map(kernel => ({ ...kernel, code: withMemory(new Uint8Array(kernel.code), hasThreads()) }));
    return valueOf(await WasmPlan.open({ memory: this.memory, team: this.team, copy_rows: withMemory(copy_rows.slice(), hasThreads()) }, { ...spec, kernels }));
  }

  #placesIn(plan: WasmPlan, { buffers, outputs }: PlanSpec): SharedPlaces {
    const inputs = [...buffers.keys()].map(buffer => [buffer, plan.inputAt(buffer)!] as const);
    return { memory: this.memory.memory.buffer, inputs, outputs: plan.outputsAt.map((at, i) => ({ at, bytes: outputs[i]!.bytes })) };
  }

  #pageWork(plan: WasmPlan): Answer {
    const work = hasThreads() ? plan.repeatedWork : undefined;
    if (work === undefined || plan.aloneMs(run_ms_max) > run_ms_max) return {};
    return { page: { ...work, memory: this.memory.memory, runtime: this.code } };
  }

  async #warmUp(plan: WasmPlan, inputs: readonly Upload[]): Promise<void> {
    const first = valueOf(plan.run(inputs));
    if (!this.#is_warm) valueOf(await plan.warmUp(first.kernel_ms, wallStepNs(), () => turn.take()));
    this.#is_warm = true;
  }
}

async function gather(code: WebAssembly.Module, runtime: Runtime, memory: WebAssembly.Memory, wanted: number): Promise<{ team: Team; note: string }> {
  if (wanted <= 1) return { team: Team.alone(runtime, memory), note: '' };
  try {
    return { team: await Team.gather({ code, runtime, memory, helpers: wanted - 1, spawn: spawnHelper }), note: '' };
  } catch (error) {
    return { team: Team.alone(runtime, memory), note: `WebAssembly runs on one thread, because the others failed: ${describe(error)}.` };
  }
}

// Browsers word it differently, and at length.
export function wordsOf(error: unknown): string {
  const said = describe(error);
  return /Content Security Policy|\bCSP\b/i.test(said) ? "the page's Content-Security-Policy allows no WebAssembly ('wasm-unsafe-eval')" : said;
}
