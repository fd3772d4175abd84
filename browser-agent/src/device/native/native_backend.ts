// NativeBackend: this machine's CPU behind the Backend contract. Kernels come as the text of their loop IR; a runner (runner.ts) compiles and
// runs them in a process of its own, takes their times with its own clock, and may die of them: then the device is lost.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, Execution, Kernel, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { TaskBuffers } from '../runner/buffers.ts';
import { NativeKernel, type KernelContext } from './kernel.ts';
import { executePlan } from '../runner/plan_run.ts';
import { Runner, type StartRunner } from '../runner/runner.ts';

const reference_runs = 4;
const health_runs = 5;

interface Parts {
  fingerprint: Fingerprint;
  timer: Timer;
  runtime: TensorRuntime;
  runner: Runner;
}

export class NativeBackend implements Backend {
  readonly lost: Promise<string>;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.lost = parts.runner.lost;
  }

  // threads_max: 0: one per processor.
  static async probe(runtime_url: URL, threads_max: number, start: StartRunner): Promise<Probe> {
    const runner = new Runner(start, threads_max);
    const refuse = (reason: string): Probe => {
      runner.dispose();
      return { ok: false, reason: `No kernels run natively here: ${reason}.`, remedy: 'hone doctor says what is missing; --target wasm needs nothing but Node.js.' };
    };
    const hello = await runner.hello(), health_ns = await runner.reference(health_runs);
    if (!hello.ok) return refuse(hello.message);
    if (!health_ns.ok) return refuse(health_ns.message);
    try {
      const { header } = hello.value, timer = { method: 'clock', quantum_ns: Number(header['clock_step_ns']) };
      const runtime = await TensorRuntime.load(runtime_url);
      const backend = new NativeBackend({ fingerprint: fingerprintOf(header), timer, runtime, runner });
      return { ok: true, backend, health_us: health_ns.value / 1000, note: '' };
    } catch (error) {
      return refuse(error instanceof Error ? error.message : String(error));
    }
  }

  get fingerprint(): Fingerprint {
    return this.#parts.fingerprint;
  }

  get timer(): Timer {
    return this.#parts.timer;
  }

  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.#parts, buffers = new TaskBuffers(runner, runtime);
    return orOutOfMemory(async () => {
      const made = await buffers.make(spec);
      if (made.ok) return success(new NativeTask({ runner, buffers, tolerance: spec.tolerance }));
      buffers.dispose();
      return made;
    });
  }

  execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { runner, runtime } = this.#parts;
    return orOutOfMemory(() => executePlan(runner, runtime.poison_bits, plan));
  }

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.#parts.runner.reference(reference_runs);
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.#parts.runner.dispose();
  }
}

class NativeTask implements PreparedTask {
  constructor(private readonly context: KernelContext) {}

  get tolerance(): number {
    return this.context.tolerance;
  }

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return orOutOfMemory(() => NativeKernel.build(this.context, candidate));
  }

  dispose(): void {
    this.context.buffers.dispose();
  }
}

// host: the runner's answer to hello (native/host_description.h).
export function fingerprintOf(host: Readonly<Record<string, unknown>>): Fingerprint {
  const word = (name: string): string => String(host[name] ?? '');
  const threads = Number(host['threads']);
  return {
    target: 'native', vendor: word('vendor'), architecture: word('name'), device: word('model'), backend: '',
    description: `${word('model') || word('architecture')} (${word('name')}), ${threads === 1 ? '1 thread' : `${threads} threads`}`,
    browser: 'native', browser_major: 0, os: describeBrowser(navigator.userAgent).os, features: (host['features'] as string[] | undefined) ?? [],
    limits: { threads, vector_lanes: Number(host['vector_lanes']), vector_registers: Number(host['vector_registers']) },
  };
}
