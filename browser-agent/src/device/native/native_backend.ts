// NativeBackend: this machine's CPU behind the Backend contract. Kernels come as the text of their loop IR; a runner (runner.ts) compiles and
// runs them in a process of its own, takes their times with its own clock, and may die of them: then the device is lost.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Candidate, Fingerprint } from '../../generated/protocol.ts';
import type { Comparison, Kernel, OnStep, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { describeBrowser } from '../../../../browser-runtime/src/device/browser_name.ts';
import { orOutOfMemory } from '../runner/out_of_memory.ts';
import { TaskBuffers } from '../runner/buffers.ts';
import { NativeKernel, type KernelContext } from './kernel.ts';
import { probeRunner, RunnerBackend } from '../runner/runner_backend.ts';
import type { StartRunner } from '../runner/runner.ts';

const remedy = 'hone doctor says what is missing; --target wasm needs nothing but Node.js.';

const reference_flops = 16 * 3072 * 4 * 2;   // of a thread: native/reference_kernel.cc

function healthFlops(host: Readonly<Record<string, unknown>>): number {
  return reference_flops * Number(host['threads']);
}

export class NativeBackend extends RunnerBackend {
  static probe(runtime_url: URL, threads_max: number, start: StartRunner, onStep: OnStep): Promise<Probe> {
    return probeRunner({ absent: 'No kernels run natively here', remedy, fingerprintOf, healthFlops, make: parts => new NativeBackend(parts) }, runtime_url, threads_max, start, onStep);
  }

  prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>> {
    const { runner, runtime } = this.parts, buffers = new TaskBuffers(runner, runtime, this.copies);
    return orOutOfMemory(async () => {
      const made = await buffers.make(spec);
      if (made.ok) return success(new NativeTask({ runner, buffers, tolerance: spec.tolerance }));
      buffers.dispose();
      return made;
    });
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

  check(kernel: Kernel): Promise<Attempt<Comparison>> {
    return orOutOfMemory(() => (kernel as NativeKernel).checkOn(this.context));
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
