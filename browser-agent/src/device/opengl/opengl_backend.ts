// OpenGlBackend: OpenGL ES without a browser behind the Backend contract. Kernels are WebGL's fragment shaders; a runner (runner/runner.ts) draws
// them in a process of its own, takes their times with its own clock, and may die of them: then the device is lost.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, Execution, Kernel, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { IdleTextures } from '../idle_textures.ts';
import { describeRenderer } from '../../../../browser-runtime/src/device/renderer_name.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { executePlan } from '../runner/plan_run.ts';
import { Runner, type StartRunner } from '../runner/runner.ts';
import { makeTensors } from '../task_tensor.ts';
import { OpenGlKernel, type KernelContext } from './kernel.ts';
import { TaskTextures, type Argument } from './task_textures.ts';

const reference_runs = 4;
const health_runs = 5;
const idle_bytes_max = 256 << 20;

interface Parts {
  fingerprint: Fingerprint;
  timer: Timer;
  runtime: TensorRuntime;
  runner: Runner;
}

export class OpenGlBackend implements Backend {
  readonly lost: Promise<string>;
  readonly #idle = new IdleTextures<Argument>(idle_bytes_max);

  private constructor(private readonly parts: Parts) {
    this.lost = parts.runner.lost;
  }

  // threads_max: where the processor draws; 0: as many as the driver takes.
  static async probe(runtime_url: URL, threads_max: number, start: StartRunner): Promise<Probe> {
    const runner = new Runner(start, threads_max);
    const refuse = (reason: string): Probe => {
      runner.dispose();
      return { ok: false, reason: `There is no OpenGL ES here: ${reason}.`, remedy: 'Install Mesa (apt-get install libegl1 libgles2 libgl1-mesa-dri); hone agent --target webgl needs nothing but a browser.' };
    };
    const hello = await runner.hello(), health_ns = await runner.reference(health_runs);
    if (!hello.ok) return refuse(hello.message);
    if (!health_ns.ok) return refuse(health_ns.message);
    const { header } = hello.value, timer = { method: 'clock', quantum_ns: Number(header['clock_step_ns']) };
    const runtime = await TensorRuntime.load(runtime_url);
    return { ok: true, backend: new OpenGlBackend({ fingerprint: fingerprintOf(header), timer, runtime, runner }), health_us: health_ns.value / 1000, note: '' };
  }

  get fingerprint(): Fingerprint {
    return this.parts.fingerprint;
  }

  get timer(): Timer {
    return this.parts.timer;
  }

  // Textures come with the candidates, which say what they look like.
  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.parts;
    return orOutOfMemory(async () => {
      const tensors = makeTensors(runtime, spec);
      if (!tensors.ok) return tensors;
      for (const tensor of tensors.value) tensor.dispose();   // they were made to see that all fits together
      const outputs = spec.buffers.flatMap(({ role }, position) => (role === 'output' ? [position] : []));
      const task = new TaskTextures(runner, runtime, spec, this.#idle);
      return success(new OpenGlTask({ runner, task, outputs, poison_bits: runtime.poison_bits }, spec.tolerance));
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

class OpenGlTask implements PreparedTask {
  constructor(private readonly context: KernelContext, readonly tolerance: number) {}

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return orOutOfMemory(() => OpenGlKernel.build(this.context, candidate));
  }

  dispose(): void {
    this.context.task.dispose();
  }
}

// gl: the runner's answer to hello (opengl/gl_description.h). Limits and features have the names of a WebGL context's.
function fingerprintOf(gl: Readonly<Record<string, unknown>>): Fingerprint {
  return {
    target: 'opengl', ...describeRenderer(String(gl['vendor']), String(gl['renderer'])), description: `${String(gl['renderer'])}, ${String(gl['version'])}`,
    browser: 'native', browser_major: 0, os: describeBrowser(navigator.userAgent).os,
    features: [...gl['features'] as string[]].sort(), limits: gl['limits'] as Record<string, number>,
  };
}
