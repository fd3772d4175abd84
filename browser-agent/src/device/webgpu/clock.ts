// GpuClock: how long a compute pass took. With timestamp-query the GPU's own stamps around the pass; else the wall time of submitting
// and waiting, in which the caller takes the slope (core/timing_ladder.ts). Nanoseconds.
import { clockStepNs } from '../../core/statistics.ts';
import type { PassWork } from '../../../../browser-runtime/src/device/webgpu/pass.ts';
import { wallStepNs } from '../../../../browser-runtime/src/device/wall_step.ts';
import type { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';

const stamps = 2;
const stamp_bytes = stamps * 8;
const quantum_passes = 12;

// What a timed submit carries; the clock adds its stamps around it. What it also awaits is mapped together with the stamps: one round trip for both.
export type TimedWork = PassWork;

export interface GpuClock {
  readonly method: 'timestamp' | 'slope';
  readonly quantum_ns: number;
  time(work: TimedWork): Promise<number>;
  dispose(): void;
}

export class TimestampClock implements GpuClock {
  readonly method = 'timestamp';
  quantum_ns = 1;
  readonly #device: GPUDevice;
  readonly #wait: GpuWait;
  readonly #queries: GPUQuerySet;
  readonly #resolved: GPUBuffer;
  readonly #mapped: GPUBuffer;

  constructor(device: GPUDevice, wait: GpuWait) {
    this.#device = device;
    this.#wait = wait;
    this.#queries = device.createQuerySet({ type: 'timestamp', count: stamps });
    this.#resolved = device.createBuffer({ size: stamp_bytes, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
    this.#mapped = device.createBuffer({ size: stamp_bytes, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  }

  async time(work: TimedWork): Promise<number> {
    const [begin, end] = await this.#stamps(work);
    return Number(end - begin);
  }

  // Measures quantum_ns. `work` gives the stamps some spread.
  async measureQuantum(work: TimedWork): Promise<void> {
    const stamps: bigint[] = [];
    for (let i = 0; i < quantum_passes; i++) stamps.push(...await this.#stamps(work));
    this.quantum_ns = clockStepNs(stamps);
  }

  async #stamps(work: TimedWork): Promise<[bigint, bigint]> {
    const encoder = this.#device.createCommandEncoder();
    work.before?.(encoder);
    const pass = encoder.beginComputePass({
      timestampWrites: { querySet: this.#queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
    });
    work.encodePass(pass);
    pass.end();
    work.after?.(encoder);
    encoder.resolveQuerySet(this.#queries, 0, stamps, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, this.#mapped, 0, stamp_bytes);
    this.#device.queue.submit([encoder.finish()]);
    try {
      await this.#wait.until(Promise.all([this.#mapped.mapAsync(GPUMapMode.READ), work.alsoAwait?.()]));
      const [begin = 0n, end = 0n] = new BigUint64Array(this.#mapped.getMappedRange());
      return [begin, end];
    } finally {
      this.#mapped.unmap();  // also when `work` failed: a buffer that stays mapped fails every later submit
    }
  }

  dispose(): void {
    this.#queries.destroy();
    this.#resolved.destroy();
    this.#mapped.destroy();
  }
}

export class WallClock implements GpuClock {
  readonly method = 'slope';
  readonly quantum_ns: number;
  readonly #device: GPUDevice;
  readonly #wait: GpuWait;

  constructor(device: GPUDevice, wait: GpuWait) {
    this.#device = device;
    this.#wait = wait;
    this.quantum_ns = wallStepNs();
  }

  async time(work: TimedWork): Promise<number> {
    const encoder = this.#device.createCommandEncoder();
    work.before?.(encoder);
    const pass = encoder.beginComputePass();
    work.encodePass(pass);
    pass.end();
    work.after?.(encoder);
    const commands = encoder.finish();
    const started = performance.now();
    this.#device.queue.submit([commands]);
    await this.#wait.idle();
    const elapsed_ms = performance.now() - started;
    await this.#wait.until(Promise.resolve(work.alsoAwait?.()));
    return elapsed_ms * 1e6;
  }

  dispose(): void {}
}
