// OpenClBackend: a device of OpenCL behind the Backend contract. Kernels are OpenCL C; a runner (runner/runner.ts) has the driver compile and run
// them in a process of its own, takes their times with the device's clock, and may die of them: then the device is lost.
import type { GpuMemory } from '../../core/cache_size.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { health_flops } from '../../core/reference_work.ts';
import type { Candidate, Fingerprint } from '../../generated/protocol.ts';
import type { Comparison, Kernel, OnStep, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { TaskBuffers } from '../runner/buffers.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { probeRunner, RunnerBackend } from '../runner/runner_backend.ts';
import type { Runner, StartRunner } from '../runner/runner.ts';
import { clMemory } from './cache_ladder.ts';
import { OpenClKernel, type KernelContext } from './kernel.ts';

const remedy = 'Install the GPU\'s OpenCL driver, or pocl for the processor (apt-get install ocl-icd-libopencl1 pocl-opencl-icd); hone doctor says what is found.';

const smallest = {
  code: (addend: number): string => `__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void run_kernel(__global const float* restrict A, __global float* restrict B) { B[0] = A[0] + ${addend}.0f; }`,
  bytes: 16,
};

const memory = (runner: Runner, { limits }: Fingerprint, clock_step_ns: number): Promise<GpuMemory> => clMemory(runner, limits['MAX_MEM_ALLOC_SIZE'] ?? 0, clock_step_ns);

export class OpenClBackend extends RunnerBackend {
  static probe(runtime_url: URL, threads_max: number, start: StartRunner, onStep: OnStep): Promise<Probe> {
    return probeRunner({ absent: 'There is no OpenCL here', remedy, fingerprintOf, healthFlops: () => health_flops, smallest, memory, make: parts => new OpenClBackend(parts) }, runtime_url, threads_max, start, onStep);
  }

  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.parts, buffers = new TaskBuffers(runner, runtime, this.copies);
    return orOutOfMemory(async () => {
      const made = await buffers.make(spec);
      if (made.ok) return success(new OpenClTask({ runner, buffers, tolerance: spec.tolerance, poison_bits: runtime.poison_bits }));
      buffers.dispose();
      return made;
    });
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

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return orOutOfMemory(() => (kernel as OpenClKernel).checkOn(this.context));
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
    features: [...cl['features'] as string[]].sort(), limits: cl['limits'] as Record<string, number>, driver: word('driver').slice(0, 256),
  };
}
