// GlClock: how long draws took. With EXT_disjoint_timer_query_webgl2 by the GPU's own clock; else the wall time of drawing and waiting, in
// which the caller takes the slope (core/timing_ladder.ts). Nanoseconds.
import type { Reading } from '../../core/reading.ts';
import { clockStepNs } from '../../core/statistics.ts';
import { wallStepNs } from '../../../../browser-runtime/src/device/wall_step.ts';
import { WorkError, type GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';

// `finish` waits for the draws by reading what they wrote: gl.finish() does not wait in Chromium.
export interface TimedWork {
  draw(): void;
  finish(): void | Promise<void>;
}

export interface GlClock {
  readonly method: 'timestamp' | 'slope';
  readonly quantum_ns: number;
  read(work: TimedWork): Promise<Reading>;
}

// lib.dom does not know the extension.
interface TimerQueries {
  TIME_ELAPSED_EXT: number;
  GPU_DISJOINT_EXT: number;
}

const quantum_runs = 12;
const disjoint_max = 3;
const eager_ticks = 20;     // asked without a nap: a result mostly is there after one

export class QueryClock implements GlClock {
  readonly method = 'timestamp';
  quantum_ns = 1;

  private constructor(private readonly device: GlDevice, private readonly queries: TimerQueries) {}

  // undefined where the context has no such queries.
  static make(device: GlDevice): QueryClock | undefined {
    const queries = device.gl.getExtension('EXT_disjoint_timer_query_webgl2') as TimerQueries | null;
    return queries === null ? undefined : new QueryClock(device, queries);
  }

  // Throws WorkError when the GPU's clock was disturbed again and again.
  async read(work: TimedWork): Promise<Reading> {
    const { gl } = this.device;
    for (let i = 0; i < disjoint_max; i++) {
      gl.getParameter(this.queries.GPU_DISJOINT_EXT);   // forgets what was before
      const reading = await this.#once(work);
      if (gl.getParameter(this.queries.GPU_DISJOINT_EXT) !== true) return reading;
    }
    throw new WorkError('unstable', `the GPU's clock was disturbed (GPU_DISJOINT) ${disjoint_max} times in a row`);
  }

  async #once({ draw, finish }: TimedWork): Promise<Reading> {
    const { gl } = this.device, query = gl.createQuery(), started = performance.now();
    gl.beginQuery(this.queries.TIME_ELAPSED_EXT, query);
    try {
      draw();
    } finally {
      gl.endQuery(this.queries.TIME_ELAPSED_EXT);
    }
    await finish();
    const wall_ns = (performance.now() - started) * 1e6;
    const known = (): boolean => gl.isContextLost() || gl.getQueryParameter(query, gl.QUERY_RESULT_AVAILABLE) as boolean;
    for (let i = 0; !known(); i++) await (i < eager_ticks ? this.device.tick() : new Promise<void>(done => setTimeout(done, 1)));
    const elapsed_ns = gl.getQueryParameter(query, gl.QUERY_RESULT) as number | null;
    gl.deleteQuery(query);
    return { device_ns: elapsed_ns ?? 0, wall_ns };
  }

  // Measures quantum_ns on some work.
  async measureQuantum(work: TimedWork): Promise<void> {
    const times: bigint[] = [0n];
    for (let i = 0; i < quantum_runs; i++) times.push(BigInt(Math.round((await this.read(work)).device_ns)));
    this.quantum_ns = clockStepNs(times);
  }
}

export class WallClock implements GlClock {
  readonly method = 'slope';
  readonly quantum_ns = wallStepNs();

  async read({ draw, finish }: TimedWork): Promise<Reading> {
    const started = performance.now();
    draw();
    const waiting = finish();
    if (waiting !== undefined) await waiting;
    const elapsed_ns = (performance.now() - started) * 1e6;
    return { device_ns: elapsed_ns, wall_ns: elapsed_ns };
  }
}
