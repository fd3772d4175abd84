// WasmBackend: WebAssembly behind the Backend contract. Kernels are modules that run on this worker's own thread and, where the page is
// cross-origin isolated, on helpers beside it; so the clock around them is theirs.
import { CopyPool } from '../../core/copy_pool.ts';
import type { Modules } from '../../core/measure_modules.ts';
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { KnownDevice } from '../../core/known_device.ts';
import { arithmeticOf } from '../../core/signature.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, Comparison, DeviceChoice, Execution, Kernel, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { executed } from '../executed.ts';
import { wallStepNs } from '../../../../browser-runtime/src/device/wall_step.ts';
import { processorCacheBytes, withCache } from '../processor_cache.ts';
import { TaskBuffers } from './buffers.ts';
import { EventTurn } from '../../../../browser-runtime/src/device/event_turn.ts';
import { describeWasm, hasThreads } from '../../../../browser-runtime/src/device/wasm/features.ts';
import { WasmKernel, type KernelContext } from './kernel.ts';
import { KernelMemory, type Block } from '../../../../browser-runtime/src/device/wasm/kernel_memory.ts';
import { describe } from '../../../../browser-runtime/src/device/wasm/module.ts';
import { openModel } from './plan_run.ts';
import { health_flops, ReferenceKernel } from './reference_kernel.ts';
import { Team, type SpawnHelper } from '../../../../browser-runtime/src/device/wasm/team.ts';

const threads_max = 32;

interface Parts {
  fingerprint: Fingerprint;
  timer: Timer;
  runtime: TensorRuntime;
  memory: KernelMemory;
  team: Team;
  turn: EventTurn;
  reference: ReferenceKernel;
}

export class WasmBackend implements Backend {
  readonly lost = new Promise<string>(() => {});   // nothing but the worker itself can be lost
  readonly #parts: Parts;
  readonly #copies = new CopyPool<Block>(block => this.#parts.memory.free(block));

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  // threads_wanted: at most so many; 0: all.
  static async probe(runtime_url: URL, { threads_max: threads_wanted, without }: Pick<DeviceChoice, 'threads_max' | 'without'>, spawnHelper: SpawnHelper, known?: KnownDevice): Promise<Probe> {
    try {
      const code = await TensorRuntime.compile(runtime_url), runtime = await TensorRuntime.instantiate(code);
      const memory = KernelMemory.make({ shared: hasThreads(), poison_bits: runtime.poison_bits });
      const { team, note: on_threads } = await gatherTeam(code, runtime, memory.memory, threads_wanted || threads_max, spawnHelper);
      const timer = { method: 'clock', quantum_ns: wallStepNs() };
      const reference = new ReferenceKernel(team, timer.quantum_ns);
      const health_us = reference.healthUs(), described = await describeWasm({ threads: team.threads, memory_bytes_max: memory.bytes_max, without });
      const fingerprint = known === undefined ? withCache({ ...described, ...arithmeticOf(health_flops, health_us) }, processorCacheBytes()) : { ...described, ...known.signature };
      const backend = new WasmBackend({ fingerprint, timer, runtime, memory, team, turn: new EventTurn(), reference });
      const on_vectors = fingerprint.features.includes('simd128') ? '' : 'The WebAssembly of this browser has no SIMD, so kernels compute one number at a time.';
      return { ok: true, backend, health_us, note: [on_vectors, on_threads].filter(text => text !== '').join(' ') };
    } catch (error) {
      return { ok: false, reason: `The browser does not run the agent's WebAssembly: ${describe(error)}.`, remedy: 'Reload the page; if it stays so, use a current browser.' };
    }
  }

  get fingerprint(): Fingerprint {
    return this.#parts.fingerprint;
  }

  get timer(): Timer {
    return this.#parts.timer;
  }

  async prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { memory, runtime, team, turn, timer } = this.#parts;
    const buffers = new TaskBuffers(memory, runtime);
    try {
      const made = buffers.make(spec);
      if (made.ok) return success(new WasmTask({ memory, team, turn, quantum_ns: timer.quantum_ns, buffers, copies: this.#copies, tolerance: spec.tolerance }));
      buffers.dispose();
      return made;
    } catch (error) {
      buffers.dispose();
      if (error instanceof RangeError) return failure('out_of_memory', describe(error));
      throw error;
    }
  }

  async execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { memory, team, turn, timer, runtime } = this.#parts;
    return executed(model => openModel({ memory, team, turn, quantum_ns: timer.quantum_ns, poison_bits: runtime.poison_bits }, model), plan, () => this.referenceUs());
  }

  get reference_works(): number {
    return this.#parts.reference.works;
  }

  async referenceUs(): Promise<Attempt<number>> {
    await this.#parts.turn.take();
    return success(this.#parts.reference.runNs() / 1000);
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.#parts.team.dispose();
    this.#parts.turn.dispose();
  }
}

class WasmTask implements PreparedTask {
  constructor(private readonly context: KernelContext) {}

  get tolerance(): number {
    return this.context.tolerance;
  }

  build(candidate: Candidate, modules: Modules): Promise<Attempt<Kernel>> {
    return WasmKernel.build(this.context, candidate, modules);
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return (kernel as WasmKernel).checkOn(this.context);
  }

  dispose(): void {
    this.context.copies.forget(this.context.buffers);
    this.context.buffers.dispose();
  }
}

// All of the processor's threads where the page may have them; else one, and a sentence that says why.
async function gatherTeam(code: WebAssembly.Module, runtime: TensorRuntime, memory: WebAssembly.Memory, threads: number, spawn: SpawnHelper): Promise<{ team: Team; note: string }> {
  const helpers = Math.min(threads_max, threads, navigator.hardwareConcurrency || 1) - 1;
  if (!hasThreads()) return { team: Team.alone(runtime, memory), note: 'The page is not cross-origin isolated, so kernels run on one thread.' };
  if (helpers === 0) return { team: Team.alone(runtime, memory), note: '' };
  try {
    return { team: await Team.gather({ code, runtime, memory, helpers, spawn }), note: '' };
  } catch (error) {
    return { team: Team.alone(runtime, memory), note: `Kernels run on one thread, because the others failed: ${describe(error)}.` };
  }
}
