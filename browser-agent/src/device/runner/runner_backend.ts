// RunnerBackend: what the backends whose kernels a runner (runner.ts) runs have in common: it says what it runs on, takes times with its own clock,
// and runs whole models; when it dies, the device is lost.
import { untold, type GpuMemory } from '../../core/cache_size.ts';
import { runsOnProcessor } from '../../core/calm.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import { arithmeticOf, memoryOf } from '../../core/signature.ts';
import type { Fingerprint, Timer } from '../../generated/protocol.ts';
import { TensorRuntime } from '../tensor_runtime.ts';
import type { Backend, Execution, OnStep, PlanSpec, PreparedTask, Probe, TaskSpec } from '../backend.ts';
import { executed } from '../executed.ts';
import { processorCacheBytes, withCache } from '../processor_cache.ts';
import { orOutOfMemory } from './out_of_memory.ts';
import { measureLaunchUs, type SmallestLaunch } from './runner_launch_cost.ts';
import { openModel } from './plan_run.ts';
import { Runner, type StartRunner } from './runner.ts';

const reference_runs = 4;
const health_runs = 5;
// An eighth of the 128 TiB of address space that a process has on x86-64, at 16 GiB a block (native/guarded_block.cc). Each copy is one.
const copies_max = 1024;

export interface Parts {
  readonly fingerprint: Fingerprint;
  readonly timer: Timer;
  readonly runtime: TensorRuntime;
  readonly runner: Runner;
}

// A kind of device that a runner brings.
export interface RunnerKind {
  readonly absent: string;                      // the beginning of the sentence where there is none
  readonly remedy: string;
  fingerprintOf(header: Readonly<Record<string, unknown>>): Fingerprint;   // of the runner's answer to hello
  make(parts: Parts): Backend;
  healthFlops?(header: Readonly<Record<string, unknown>>): number;   // of the runner's reference kernel
  readonly smallest?: SmallestLaunch;           // where a launch has a cost of its own
  memory?(runner: Runner, fingerprint: Fingerprint, clock_step_ns: number): Promise<GpuMemory>;   // where the kernels may run elsewhere than on the processor
}

// threads_max: where the processor computes; 0: as many as the driver takes, or one for each processor.
export async function probeRunner({ absent, remedy, fingerprintOf, healthFlops, make, smallest, memory }: RunnerKind, runtime_url: URL, threads_max: number, start: StartRunner, onStep: OnStep): Promise<Probe> {
  const runner = new Runner(start, threads_max);
  const refuse = (reason: string): Probe => {
    runner.dispose();
    return { ok: false, reason: `${absent}: ${reason}.`, remedy };
  };
  const hello = await runner.hello(), health_ns = await runner.reference(health_runs);
  if (!hello.ok) return refuse(hello.message);
  if (!health_ns.ok) return refuse(health_ns.message);
  try {
    const { header } = hello.value, timer = { method: 'clock', quantum_ns: Number(header['clock_step_ns']) };
    const runtime = await TensorRuntime.load(runtime_url);
    onStep('measuring its launches');
    const launch_us = smallest && await measureLaunchUs(runner, smallest), health_us = health_ns.value / 1000, described = fingerprintOf(header);
    const arithmetic = healthFlops === undefined ? {} : arithmeticOf(healthFlops(header), health_us);
    onStep('measuring its caches');
    const { cache_bytes, gb_s } = runsOnProcessor(described) ? { ...untold, cache_bytes: processorCacheBytes() } : await memory?.(runner, described, timer.quantum_ns) ?? untold;
    const fingerprint = withCache({ ...described, ...arithmetic, ...memoryOf(gb_s), ...(launch_us !== undefined && { launch_us }) }, cache_bytes);
    return { ok: true, backend: make({ fingerprint, timer, runtime, runner }), health_us, note: '' };
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

export abstract class RunnerBackend implements Backend {
  readonly lost: Promise<string>;
  protected readonly copies = new CopyPool<number[]>(ids => ids.forEach(id => this.parts.runner.free(id)), copies_max);

  constructor(protected readonly parts: Parts) {
    this.lost = parts.runner.lost;
  }

  abstract prepare(spec: TaskSpec): Promise<Attempt<PreparedTask>>;

  get fingerprint(): Fingerprint {
    return this.parts.fingerprint;
  }

  get timer(): Timer {
    return this.parts.timer;
  }

  execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    const { runner, runtime } = this.parts;
    return orOutOfMemory(() => executed(model => openModel(runner, runtime.poison_bits, model), plan, () => this.referenceUs()));
  }

  readonly reference_works = 1;   // the runners tell the time of one

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
