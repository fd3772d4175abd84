// OpenGlBackend: OpenGL ES without a browser behind the Backend contract. Kernels are WebGL's fragment shaders; a runner (runner/runner.ts) draws
// them in a process of its own, takes their times with its own clock, and may die of them: then the device is lost.
import type { GpuMemory } from '../../core/cache_size.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { health_flops } from '../../core/reference_work.ts';
import type { Candidate, Fingerprint } from '../../generated/protocol.ts';
import type { Comparison, Kernel, OnStep, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { IdleTextures } from '../idle_textures.ts';
import { describeRenderer } from '../../../../browser-runtime/src/device/renderer_name.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { probeRunner, RunnerBackend } from '../runner/runner_backend.ts';
import type { Runner, StartRunner } from '../runner/runner.ts';
import { makeTensors } from '../task_tensor.ts';
import { openGlMemory } from './cache_ladder.ts';
import { OpenGlKernel, type KernelContext } from './kernel.ts';
import { TaskTextures, type Argument } from './task_textures.ts';

const remedy = 'Install Mesa (apt-get install libegl1 libgles2 libgl1-mesa-dri); hone agent --target webgl needs nothing but a browser.';

const smallest = {
  code: (addend: number): string => `#version 300 es
precision highp float;
precision highp sampler2D;
uniform sampler2D b0;
layout(location = 0) out vec4 result;
void main() { result = texelFetch(b0, ivec2(0, 0), 0) + ${addend}.0; }`,
  bytes: 16,
  texture: { width: 1, height: 1, layers: 1, format: 'rgba32f' } as const,
};

const memory = (runner: Runner, { limits }: Fingerprint, clock_step_ns: number): Promise<GpuMemory> => openGlMemory(runner, limits['MAX_TEXTURE_SIZE'] ?? 1, clock_step_ns);

const idle_bytes_max = 256 << 20;

export class OpenGlBackend extends RunnerBackend {
  readonly #idle = new IdleTextures<Argument>(idle_bytes_max);

  static probe(runtime_url: URL, threads_max: number, start: StartRunner, onStep: OnStep): Promise<Probe> {
    return probeRunner({ absent: 'There is no OpenGL ES here', remedy, fingerprintOf, healthFlops: () => health_flops, smallest, memory, make: parts => new OpenGlBackend(parts) }, runtime_url, threads_max, start, onStep);
  }

  // Textures come with the candidates, which say what they look like.
  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.parts;
    return orOutOfMemory(async () => {
      const tensors = makeTensors(runtime, spec);
      if (!tensors.ok) return tensors;
      for (const tensor of tensors.value) tensor.dispose();   // they were made to see that all fits together
      const outputs = spec.buffers.flatMap(({ role }, position) => (role === 'output' ? [position] : []));
      const task = new TaskTextures(runner, runtime, spec, this.#idle, this.copies);
      return success(new OpenGlTask({ runner, task, outputs, poison_bits: runtime.poison_bits }, spec.tolerance));
    });
  }
}

class OpenGlTask implements PreparedTask {
  constructor(private readonly context: KernelContext, readonly tolerance: number) {}

  build(candidate: Candidate): Promise<Attempt<Kernel>> {
    return orOutOfMemory(() => OpenGlKernel.build(this.context, candidate));
  }

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return orOutOfMemory(() => (kernel as OpenGlKernel).checkOn(this.context));
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
    features: [...gl['features'] as string[]].sort(), limits: gl['limits'] as Record<string, number>, driver: String(gl['version']).slice(0, 256),
  };
}
