// The worker that runs WebAssembly for a page.
import { EventTurn } from '../device/event_turn.ts';
import { Runtime } from '../device/runtime.ts';
import { hasThreads } from '../device/wasm/features.ts';
import type { FromHelper } from '../device/wasm/helper.ts';
import { KernelMemory } from '../device/wasm/kernel_memory.ts';
import { withMemory } from '../device/wasm/memory_import.ts';
import { describe } from '../device/wasm/module.ts';
import { Team, type SpawnHelper } from '../device/wasm/team.ts';
import { wallStepNs } from '../device/wall_step.ts';
import { WasmPlan } from '../plan/wasm_plan.ts';
import { valueOf } from './device.ts';
import type { FromWorker, Request, ToWorker } from './wasm_messages.ts';

type Done = Omit<Extract<FromWorker, { ok: true }>, 'id' | 'ok'>;

const scope = globalThis as unknown as { onmessage: (event: MessageEvent<ToWorker>) => void; postMessage(message: FromWorker, transfer: Transferable[]): void };
const nothing: Done = { outputs: new ArrayBuffer(0), note: '' };
const one_thread = 'The page is not cross-origin isolated, so WebAssembly runs on one thread.';
const turn = new EventTurn();

let plan: WasmPlan | undefined;
let threads = 1;

const spawnHelper: SpawnHelper = (onMessage, onCrash) => {
  const worker = new Worker(new URL('./helper_worker.js', import.meta.url), { type: 'module', name: 'hone helper' });
  worker.onmessage = ({ data }: MessageEvent<FromHelper>) => onMessage(data);
  worker.onerror = event => {
    event.preventDefault();
    onCrash(event.message || 'it could not be loaded');
  };
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
};

async function open({ runtime: url, threads: wanted, spec }: Extract<Request, { kind: 'open' }>): Promise<Done> {
  const code = await Runtime.compile(new URL(url)), runtime = await Runtime.instantiate(code);
  const shared = hasThreads(), memory = KernelMemory.make({ shared });
  const { team, note } = await gather(code, runtime, memory.memory, shared ? wanted : 1);
  const kernels = spec.kernels.map(kernel => ({ ...kernel, code: withMemory(new Uint8Array(kernel.code), shared) }));
  plan = valueOf(await WasmPlan.open({ memory, team }, { ...spec, kernels }));
  threads = team.threads;
  return { ...nothing, note: shared ? note : one_thread };
}

async function gather(code: WebAssembly.Module, runtime: Runtime, memory: WebAssembly.Memory, wanted: number): Promise<{ team: Team; note: string }> {
  if (wanted <= 1) return { team: Team.alone(runtime, memory), note: '' };
  try {
    return { team: await Team.gather({ code, runtime, memory, helpers: wanted - 1, spawn: spawnHelper }), note: '' };
  } catch (error) {
    return { team: Team.alone(runtime, memory), note: `WebAssembly runs on one thread, because the others failed: ${describe(error)}.` };
  }
}

async function handle(request: Request): Promise<Done> {
  if (request.kind === 'open') return open(request);
  if (plan === undefined) throw new Error('no plan is open');
  switch (request.kind) {
    case 'write':
      valueOf(plan.write(request.upload));
      return nothing;
    case 'warm_up': {
      const first = valueOf(plan.run(request.inputs));
      if (threads > 1) valueOf(plan.warmUp(first.kernel_ms, wallStepNs()));
      return nothing;
    }
    case 'run':
      await turn.take();   // helpers and messages get theirs
      return { ...nothing, outputs: valueOf(plan.run(request.inputs)).outputs };
    default: return request satisfies never;
  }
}

let last: Promise<void> = Promise.resolve();
scope.onmessage = ({ data: { id, request } }) => {
  last = last.then(async () => {
    try {
      const done = await handle(request);
      scope.postMessage({ id, ok: true, ...done }, request.kind === 'run' ? [done.outputs] : []);
    } catch (error) {
      scope.postMessage({ id, ok: false, message: wordsOf(error) }, []);
    }
  });
};

// Browsers word it differently, and at length.
function wordsOf(error: unknown): string {
  const said = describe(error);
  return /Content Security Policy|\bCSP\b/i.test(said) ? "the page's Content-Security-Policy allows no WebAssembly ('wasm-unsafe-eval')" : said;
}
