// WasmBackend: WebAssembly behind the Backend contract. Kernels are modules that run on this worker's own thread, and so the clock around
// them is theirs.
import type { Modules } from '../../core/measure_modules.ts';
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { Runtime } from '../../runtime/runtime.ts';
import type { Backend, Execution, Kernel, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { wallStepNs } from '../wall_step.ts';
import { TaskBuffers } from './buffers.ts';
import { EventTurn } from './event_turn.ts';
import { describeWasm, hasThreads } from './features.ts';
import { WasmKernel, type KernelContext } from './kernel.ts';
import { KernelMemory } from './kernel_memory.ts';
import { describe } from './module.ts';
import { executePlan } from './plan_run.ts';
import { ReferenceKernel } from './reference_kernel.ts';
import { Team } from './team.ts';

interface Parts {
  fingerprint: Fingerprint;
  timer: Timer;
  runtime: Runtime;
  memory: KernelMemory;
  team: Team;
  turn: EventTurn;
  reference: ReferenceKernel;
}

export class WasmBackend implements Backend {
  readonly lost = new Promise<string>(() => {});   // nothing but the worker itself can be lost
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async probe(runtime_url: URL): Promise<Probe> {
    try {
      const runtime = await Runtime.load(runtime_url);
      const shared = hasThreads();
      const memory = KernelMemory.make({ shared, poison_bits: runtime.poison_bits });
      const team = new Team({ memory: memory.memory, ...runtime.libm });
      const timer = { method: 'clock', quantum_ns: wallStepNs() };
      const reference = new ReferenceKernel(team, runtime.reference, timer.quantum_ns);
      const fingerprint = await describeWasm({ threads: team.threads, memory_bytes_max: memory.bytes_max });
      const backend = new WasmBackend({ fingerprint, timer, runtime, memory, team, turn: new EventTurn(), reference });
      return { ok: true, backend, health_us: reference.healthUs(), note: '' };
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
      if (made.ok) return success(new WasmTask({ memory, team, turn, quantum_ns: timer.quantum_ns, buffers, tolerance: spec.tolerance }));
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
    return executePlan({ memory, team, turn, quantum_ns: timer.quantum_ns, poison_bits: runtime.poison_bits }, plan);
  }

  async referenceUs(): Promise<Attempt<number>> {
    await this.#parts.turn.take();
    return success(this.#parts.reference.runNs() / 1000);
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
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

  dispose(): void {
    this.context.buffers.dispose();
  }
}
