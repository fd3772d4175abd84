// SimulatedBackend: a SimulatedGpu behind the Backend contract, so that the job loop, heats and ladders run on it as they are. A candidate's
// kernel takes what `kernels_ns` says of its trial.
import { failure, success, type Attempt } from '../outcome.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Backend, CheckReport, Execution, Kernel, PreparedTask } from '../../device/backend.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import type { Run, SimulatedGpu } from './simulated_gpu.ts';

type Method = 'timestamp' | 'clock' | 'slope';

const reference_ns = 10_000;    // one execution of the reference kernel
const reference_aim_ns = 1e6;

export class SimulatedBackend implements Backend {
  readonly kernels_ns = new Map<number, number>();
  readonly lost = new Promise<string>(() => {});
  readonly scheduler: Scheduler = { nowMs: () => this.gpu.now_ms, after: () => () => {} };
  readonly task: PreparedTask = { tolerance: 1e-5, build: candidate => Promise.resolve(this.#build(candidate)), dispose: () => {} };
  timer: Timer;
  #reference_repeats = 1;

  private constructor(readonly gpu: SimulatedGpu, readonly fingerprint: Fingerprint, method: Method) {
    const { clock, host } = gpu.traits;
    this.timer = { method, quantum_ns: method === 'slope' ? host.step_ns : Math.max(1, Math.round(clock.step_ns * clock.unit)) };
  }

  // As a device connects: the clock's step and the reference kernel's repeats are measured.
  static async connect(gpu: SimulatedGpu, fingerprint: Fingerprint, method: Method): Promise<SimulatedBackend> {
    const backend = new SimulatedBackend(gpu, fingerprint, method);
    await backend.#calibrate();
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

  async referenceUs(): Promise<Attempt<number>> {
    const ns = await this.#time(reference_ns * this.#reference_repeats);
    return ns.ok ? success(ns.value / 1000) : ns;
  }

  idle(): Promise<void> {
    return Promise.resolve();
  }

  dispose(): void {}

  #build({ trial }: Candidate): Attempt<Kernel> {
    const each_ns = this.kernels_ns.get(trial);
    if (each_ns === undefined) return failure('compile_error', `there is no kernel of trial ${trial}`);
    return success({
      create_ms: 0,
      compiles_late: this.timer.method !== 'clock',
      check: async (): Promise<Attempt<CheckReport>> => success({ max_error: 0, unwritten: 0, finding: '', first_ns: this.#said(this.gpu.run(each_ns)) }),
      time: repeats => this.#time(each_ns * repeats),
      dispose: () => {},
    });
  }

  #time(work_ns: number): Promise<Attempt<number>> {
    return Promise.resolve(success(this.#said(this.gpu.run(work_ns))));
  }

  #said({ device_ns, wall_ns }: Run): number {
    return this.timer.method === 'slope' ? wall_ns : device_ns;
  }

  async #calibrate(): Promise<void> {
    const aim_ns = Math.max(reference_aim_ns, 20 * this.timer.quantum_ns);
    for (let step = 0; step < 4; step++) {
      const ns = await this.#time(reference_ns * this.#reference_repeats);
      if (ns.ok && step > 0) this.#reference_repeats = Math.max(1, Math.min(1000, Math.round(this.#reference_repeats * aim_ns / Math.max(1, ns.value))));
    }
  }
}
