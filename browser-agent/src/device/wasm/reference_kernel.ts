// ReferenceKernel: the runtime's own small kernel on all threads, always the same work, so that its time shows drift and nothing else. Of some runs
// the fastest counts: a clock that falls makes all of them longer, a thread that is held up for a moment only one.
import type { Launch, Team } from '../../../../browser-runtime/src/device/wasm/team.ts';
import { WarmUp } from '../../../../browser-runtime/src/device/wasm/warm_up.ts';

const iterations = 64;
const aim_ns = 0.3e6;
const runs_of_sample = 4;
const aim_steps = 20;
const repeats_max = 1000;
const health_runs = 5;
export const health_flops = iterations * 512 * 4 * 2;   // of the work that healthUs times: browser-agent/runtime/reference_kernel.cc

export class ReferenceKernel {
  readonly #team: Team;
  readonly #launch: Launch;
  #repeats = 1;

  // Runs it warm, and sets the repeats so that a run is long against the clock's step.
  constructor(team: Team, quantum_ns: number) {
    this.#team = team;
    this.#launch = { code: team.reference, args: 0, args_stride: 0, extent: iterations, threads: team.threads };
    const warm_up = new WarmUp(quantum_ns);
    while (!warm_up.over) warm_up.note(this.#timeNs(warm_up.batch), 1);
    const aim = Math.max(aim_ns, aim_steps * quantum_ns);
    this.#repeats = Math.max(1, Math.min(repeats_max, Math.round(aim / Math.max(1, warm_up.run_ns))));
  }

  // Of the work of which healthUs tells the time, in a run.
  get works(): number {
    return this.#repeats;
  }

  runNs(): number {
    return this.#fastestNs(runs_of_sample);
  }

  // The time of one execution: comparable between openings of one device, whose repeats may differ. The fastest of some runs, because the
  // question is whether the device is still busy with old work, not whether the machine is.
  healthUs(): number {
    return this.#fastestNs(health_runs) / this.#repeats / 1000;
  }

  #fastestNs(runs: number): number {
    return Math.min(...Array.from({ length: runs }, () => this.#timeNs(this.#repeats)));
  }

  #timeNs(repeats: number): number {
    return this.#team.work([this.#launch], () => {
      const started = performance.now();
      for (let i = 0; i < repeats; i++) this.#team.run(this.#launch, 1);
      return (performance.now() - started) * 1e6;
    });
  }
}
