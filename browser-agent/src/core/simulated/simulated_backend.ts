// SimulatedBackend: a SimulatedGpu behind the Backend contract, so that the job loop, heats and ladders run on it as they are. A candidate's
// kernel takes what `kernels_ns` says of its trial, and where the device has a cache, what of its buffers comes from memory besides.
import { failure, success, type Attempt } from '../outcome.ts';
import { clocksAgree, credibleNs, saidNs, type Reading } from '../reading.ts';
import { referenceRepeats } from '../reference_repeats.ts';
import type { RotatingBuffer } from '../rotation.ts';
import type { Scheduler } from '../scheduler.ts';
import { cacheBytes, workingSets } from '../cache_size.ts';
import type { Backend, Execution, Kernel, PreparedTask } from '../../device/backend.ts';
import type { Buffer, Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import { SimulatedCache } from './simulated_cache.ts';
import type { SimulatedGpu } from './simulated_gpu.ts';
import { SimulatedKernel } from './simulated_kernel.ts';

type Method = 'timestamp' | 'clock' | 'slope';

const reference_ns = 10_000;    // one execution of the reference kernel
const trial_ns = 1e6;           // of work by which the clock is tried

export class SimulatedBackend implements Backend {
  readonly kernels_ns = new Map<number, number>();
  readonly right_for = new Map<number, number>();   // of a trial, executions until its output is wrong; absent: ever
  readonly cache: SimulatedCache;
  buffers: readonly Buffer[] = [];               // of the task
  readonly lost = new Promise<string>(() => {});
  readonly scheduler: Scheduler = { nowMs: () => this.gpu.now_ms, after: () => () => {} };
  readonly task: PreparedTask = {
    tolerance: 1e-5, build: candidate => Promise.resolve(this.#build(candidate)), check: () => Promise.resolve(failure('unsupported', 'its tasks have one set of inputs')), dispose: () => {},
  };
  timer: Timer;
  #reference_repeats = 1;

  private constructor(readonly gpu: SimulatedGpu, readonly fingerprint: Fingerprint, method: Method) {
    const { clock, host, memory } = gpu.traits;
    this.cache = new SimulatedCache(memory.cache_bytes);
    this.timer = { method, quantum_ns: method === 'slope' ? host.step_ns : Math.max(1, Math.round(clock.step_ns * clock.unit)) };
  }

  // As a device connects: its clock is tried, its step and the reference kernel's repeats are measured.
  static async connect(gpu: SimulatedGpu, fingerprint: Fingerprint, method: Method): Promise<SimulatedBackend> {
    const trusted = method !== 'timestamp' || await clocksAgree(works => Promise.resolve(gpu.run(works * trial_ns)));
    const backend = new SimulatedBackend(gpu, withCacheOf(gpu, fingerprint), trusted ? method : 'slope');
    backend.#reference_repeats = await referenceRepeats(async repeats => saidNs(backend.#read(reference_ns * repeats)), backend.timer, () => gpu.now_ms);
    return backend;
  }

  prepare(): Promise<Attempt<PreparedTask>> {
    return Promise.resolve(success(this.task));
  }

  execute(): Promise<Attempt<Execution>> {
    return Promise.resolve(failure('unsupported', 'it runs no models'));
  }

  // The reference kernel's time at full speed.
  get usual_us(): number {
    return reference_ns * this.#reference_repeats / 1000;
  }

  readonly reference_works = 1;

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.#time(reference_ns * this.#reference_repeats);
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  waitNs(): Promise<Attempt<number>> {
    return this.#time(reference_ns);
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {}

  #build(candidate: Candidate): Attempt<Kernel> {
    const { trial } = candidate, each_ns = this.kernels_ns.get(trial);
    if (each_ns === undefined) return failure('compile_error', `there is no kernel of trial ${trial}`);
    return success(new SimulatedKernel({
      candidate, each_ns, buffers: this.buffers, right_for: this.right_for.get(trial) ?? Infinity, compiles_late: this.timer.method !== 'clock',
      memoryNs: (buffers, nameOf) => this.#memoryNs(buffers, nameOf), read: work_ns => this.#read(work_ns),
    }));
  }

  #memoryNs(buffers: readonly RotatingBuffer[], nameOf: (buffer: RotatingBuffer) => string): number {
    const missed = buffers.reduce((sum, buffer) => sum + this.cache.touch(nameOf(buffer), buffer.bytes), 0);
    return missed * this.gpu.traits.memory.ns_per_byte;
  }

  #time(work_ns: number): Promise<Attempt<number>> {
    return credibleNs(() => Promise.resolve(this.#read(work_ns)));
  }

  #read(work_ns: number): Reading {
    const { device_ns, wall_ns } = this.gpu.run(work_ns);
    return { device_ns: this.timer.method === 'slope' ? wall_ns : device_ns, wall_ns };
  }
}

// As a device measures it: reads of working sets that grow, each read once before.
function withCacheOf(gpu: SimulatedGpu, fingerprint: Fingerprint): Fingerprint {
  const { cache_bytes, ns_per_byte } = gpu.traits.memory, part_bytes = 1 << 20, readings: { bytes: number; ns: number }[] = [];
  for (const bytes of cache_bytes > 0 ? workingSets(256 << 20) : []) {
    const cache = new SimulatedCache(cache_bytes), parts = Array.from({ length: bytes / part_bytes }, (_, i) => `${i}`);
    const read = (): number => parts.reduce((sum, part) => sum + part_bytes * 0.1 * ns_per_byte + cache.touch(part, part_bytes) * ns_per_byte, 0);
    read();
    readings.push({ bytes, ns: saidNs(gpu.run(read() * part_bytes / bytes * 64)) });
  }
  const found = cacheBytes(readings);
  return found > 0 ? { ...fingerprint, last_level_cache_bytes: found } : fingerprint;
}
