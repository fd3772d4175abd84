// GpuClock: how long a compute pass took. With timestamp-query the GPU's own stamps around the pass; else the wall time of submitting
// and waiting, in which the caller takes the slope (core/timing_ladder.ts). Nanoseconds.
import { credibleNs, type Reading } from '../../core/reading.ts';
import type { Attempt } from '../../core/outcome.ts';
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
  read(work: TimedWork): Promise<Reading>;
  dispose(): void;
}

// Of a pass that may be read again. Unstable where the GPU's clock says nonsense.
export function timePass(clock: GpuClock, encodePass: TimedWork['encodePass']): Promise<Attempt<number>> {
  return credibleNs(() => clock.read({ encodePass }));
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

  async read(work: TimedWork): Promise<Reading> {
    const { begin, end, wall_ns } = await this.#stamps(work);
    return { device_ns: Number(end - begin), wall_ns };
  }

  // Measures quantum_ns. `work` gives the stamps some spread.
  async measureQuantum(work: TimedWork): Promise<void> {
    const stamps: bigint[] = [];
    for (let i = 0; i < quantum_passes; i++) {
      const { begin, end } = await this.#stamps(work);
      stamps.push(begin, end);
    }
    this.quantum_ns = clockStepNs(stamps);
  }

  async #stamps(work: TimedWork): Promise<{ begin: bigint; end: bigint; wall_ns: number }> {
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
    const commands = encoder.finish(), started = performance.now();
    this.#device.queue.submit([commands]);
    try {
      await this.#wait.until(Promise.all([this.#mapped.mapAsync(GPUMapMode.READ), work.alsoAwait?.()]));
      const wall_ns = (performance.now() - started) * 1e6;
      const [begin = 0n, end = 0n] = new BigUint64Array(this.#mapped.getMappedRange());
      return { begin, end, wall_ns };
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

  async read(work: TimedWork): Promise<Reading> {
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
    return { device_ns: elapsed_ms * 1e6, wall_ns: elapsed_ms * 1e6 };
  }

  dispose(): void {}
}
