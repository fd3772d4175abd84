// SimulatedBackend: a SimulatedGpu behind the Backend contract, so that the job loop, heats and ladders run on it as they are. A candidate's
// kernel takes what `kernels_ns` says of its trial.
import { failure, success, type Attempt } from '../outcome.ts';
import { clocksAgree, credibleNs, saidNs, type Reading } from '../reading.ts';
import { referenceRepeats } from '../reference_repeats.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Backend, CheckReport, Execution, Kernel, PreparedTask } from '../../device/backend.ts';
import type { Candidate, Fingerprint, Timer } from '../../generated/protocol.ts';
import type { SimulatedGpu } from './simulated_gpu.ts';

type Method = 'timestamp' | 'clock' | 'slope';

const reference_ns = 10_000;    // one execution of the reference kernel
const trial_ns = 1e6;           // of work by which the clock is tried

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

  // As a device connects: its clock is tried, its step and the reference kernel's repeats are measured.
  static async connect(gpu: SimulatedGpu, fingerprint: Fingerprint, method: Method): Promise<SimulatedBackend> {
    const trusted = method !== 'timestamp' || await clocksAgree(works => Promise.resolve(gpu.run(works * trial_ns)));
    const backend = new SimulatedBackend(gpu, fingerprint, trusted ? method : 'slope');
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
    const { submit_ns, wait_ns } = this.gpu.traits.host, beside_ns = this.timer.method === 'slope' ? submit_ns + wait_ns : 0;
    return (reference_ns * this.#reference_repeats + beside_ns) / 1000;
  }

  readonly reference_works = 1;

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
      check: async (): Promise<Attempt<CheckReport>> => success({ max_error: 0, unwritten: 0, finding: '', first_ns: saidNs(this.#read(each_ns)) }),
      time: repeats => this.#time(each_ns * repeats),
      dispose: () => {},
    });
  }

  #time(work_ns: number): Promise<Attempt<number>> {
    return credibleNs(() => Promise.resolve(this.#read(work_ns)));
  }

  #read(work_ns: number): Reading {
    const { device_ns, wall_ns } = this.gpu.run(work_ns);
    return { device_ns: this.timer.method === 'slope' ? wall_ns : device_ns, wall_ns };
  }
}
