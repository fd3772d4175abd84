// OpenClBackend: a device of OpenCL behind the Backend contract. Kernels are OpenCL C; a runner (runner/runner.ts) has the driver compile and run
// them in a process of its own, takes their times with the device's clock, and may die of them: then the device is lost.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, Execution, Kernel, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { TaskBuffers } from '../runner/buffers.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { executePlan } from '../runner/plan_run.ts';
import { Runner, type StartRunner } from '../runner/runner.ts';
import { OpenClKernel, type KernelContext } from './kernel.ts';

const reference_runs = 4;
const health_runs = 5;

interface Parts {
  fingerprint: Fingerprint;
  timer: Timer;
  runtime: TensorRuntime;
  runner: Runner;
}

export class OpenClBackend implements Backend {
  readonly lost: Promise<string>;

  private constructor(private readonly parts: Parts) {
    this.lost = parts.runner.lost;
  }

  // threads_max: where the processor computes; 0: as many as the driver takes.
  static async probe(runtime_url: URL, threads_max: number, start: StartRunner): Promise<Probe> {
    const runner = new Runner(start, threads_max);
    const refuse = (reason: string): Probe => {
      runner.dispose();
      return { ok: false, reason: `There is no OpenCL here: ${reason}.`, remedy: 'Install the GPU\'s OpenCL driver, or pocl for the processor (apt-get install ocl-icd-libopencl1 pocl-opencl-icd); hone doctor says what is found.' };
    };
    const hello = await runner.hello(), health_ns = await runner.reference(health_runs);
    if (!hello.ok) return refuse(hello.message);
    if (!health_ns.ok) return refuse(health_ns.message);
    const { header } = hello.value, timer = { method: 'clock', quantum_ns: Number(header['clock_step_ns']) };
    const runtime = await TensorRuntime.load(runtime_url);
    return { ok: true, backend: new OpenClBackend({ fingerprint: fingerprintOf(header), timer, runtime, runner }), health_us: health_ns.value / 1000, note: '' };
  }

  get fingerprint(): Fingerprint {
    return this.parts.fingerprint;
  }

  get timer(): Timer {
    return this.parts.timer;
  }

  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.parts, buffers = new TaskBuffers(runner, runtime);
    return orOutOfMemory(async () => {
      const made = await buffers.make(spec);
      if (made.ok) return success(new OpenClTask({ runner, buffers, tolerance: spec.tolerance, poison_bits: runtime.poison_bits }));
      buffers.dispose();
      return made;
    });
  }

  execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { runner, runtime } = this.parts;
    return orOutOfMemory(() => executePlan(runner, runtime.poison_bits, plan));
  }

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.parts.runner.reference(reference_runs);
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {
    this.parts.runner.dispose();
  }
}

class OpenClTask implements PreparedTask {
  constructor(private readonly context: KernelContext) {}

  get tolerance(): number {
    return this.context.tolerance;
  }

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return orOutOfMemory(() => OpenClKernel.build(this.context, candidate));
  }

  dispose(): void {
    this.context.buffers.dispose();
  }
}

// cl: the runner's answer to hello (opencl/cl_description.h). The driver's version stays out of the device's name: it would make another device of
// each update.
function fingerprintOf(cl: Readonly<Record<string, unknown>>): Fingerprint {
  const word = (name: string): string => String(cl[name] ?? '');
  return {
    target: 'opencl', vendor: word('vendor'), architecture: '', device: word('name'), backend: word('kind'),
    description: `${word('name')} (${word('platform')} ${word('driver')})`, browser: 'native', browser_major: 0, os: describeBrowser(navigator.userAgent).os,
    features: [...cl['features'] as string[]].sort(), limits: cl['limits'] as Record<string, number>,
  };
}
