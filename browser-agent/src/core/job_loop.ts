// The job loop: takes a group of candidates through a device and reports one result for each.
//   1. create all pipelines at once (the browser compiles on several threads; nothing is timed meanwhile);
//   2. one by one: a checked single execution, the climb to enough repeats, the samples, the reference kernel.
// A candidate is timed only after its output was found right.
import { DriftMonitor } from './drift.ts';
import type { Attempt, OutcomeName } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { Scheduler } from './scheduler.ts';
import { median } from './statistics.ts';
import { TimingLadder } from './timing_ladder.ts';
import type { Backend, CheckReport, Kernel, PreparedTask } from '../device/backend.ts';
import type { Candidate, CandidateResult, MeasurePolicy } from '../generated/protocol.ts';

// A result while it is being made.
export type Result = { -readonly [field in keyof CandidateResult]: CandidateResult[field] };

// One candidate with what its batch says of it.
export interface WorkItem {
  batch: number;
  fence: number;
  task: string;
  policy: MeasurePolicy;
  candidate: Candidate;
}

export interface JobHooks {
  // The device is busy with these items for at most cap_ms, as far as can be foreseen; called at the start of each step.
  onPhase(items: readonly WorkItem[], cap_ms: number): void;
  onResult(item: WorkItem, result: Result): void;
  onTiming(active: boolean): void;
  isHidden(): boolean;            // the tab is hidden: its samples are worth nothing
}

export const create_cap_ms = 30_000;  // watchdog for the creation of one pipeline: SwiftShader takes up to 0.7 s, phones seconds
const retries_on_drift = 2;
const reference_runs_max = 3;
const sampling_ms_max = 1500;         // a slow kernel gets fewer samples rather than minutes
const timing_cap_ms = 5000;           // watchdog for one round of samples, beyond some executions of a slow kernel
const climbs_allowed = 4;
const hopeless_factor = 2;            // a cold first execution this far beyond the race's limit is no accident
const cap_of_best = 100;              // no candidate may take more than this many times the best
const cap_of_prediction = 20;          // nor than this many times what it is known or expected to take
const cap_ms_min = 2000;
const error_max = 1e30;               // JSON knows no infinity

interface Sampling {
  samples_us: number[];
  reference_us: number;
  stable: boolean;
}

export class JobLoop {
  readonly #backend: Backend;
  readonly #scheduler: Scheduler;
  readonly #hooks: JobHooks;
  readonly #drift = new DriftMonitor();

  constructor(backend: Backend, scheduler: Scheduler, hooks: JobHooks) {
    this.#backend = backend;
    this.#scheduler = scheduler;
    this.#hooks = hooks;
  }

  // Resolves when each item has its result, or early when the device is lost: items without a result are the caller's again.
  async run(items: readonly WorkItem[], taskOf: (task: string) => PreparedTask | undefined): Promise<void> {
    this.#hooks.onPhase(items, create_cap_ms * items.length);
    const started = this.#scheduler.nowMs();
    const built = await Promise.all(items.map(item => buildOne(taskOf(item.task), item)));
    const share_ms = (this.#scheduler.nowMs() - started) / items.length;
    let alive = true;
    this.#hooks.onTiming(true);
    for (const [i, item] of items.entries()) {
      const kernel = built[i];
      if (kernel === undefined) continue;
      if (alive) {
        const result = await this.#runOne(kernel, taskOf(item.task)?.tolerance ?? 0, item, share_ms);
        this.#hooks.onResult(item, result);
        alive = result.outcome !== 'device_lost';
      }
      if (kernel.ok) kernel.value.dispose();
    }
    this.#hooks.onTiming(false);
  }

  async #runOne(built: Attempt<Kernel>, tolerance: number, item: WorkItem, create_share_ms: number): Promise<Result> {
    const result = emptyResult(item, 'ok', '');
    result.device_ms = create_share_ms;
    if (!built.ok) return failed(result, built);
    const kernel = built.value;
    this.#hooks.onPhase([item], capMs(item.policy, item.candidate));
    const started = this.#scheduler.nowMs();
    const checked = await kernel.check();
    result.create_ms = kernel.create_ms + this.#scheduler.nowMs() - started;
    const verdict = checked.ok ? judge(checked.value, tolerance) : checked;
    if (checked.ok) result.max_error = Math.min(checked.value.max_error, error_max);
    if (checked.ok && verdict.ok) {
      const timed = await this.#time(kernel, result, checked.value.first_ns, item);
      if (!timed.ok) failed(result, timed);
    } else if (!verdict.ok) {
      failed(result, verdict);
    }
    result.device_ms += this.#scheduler.nowMs() - started;
    return result;
  }

  async #time(kernel: Kernel, result: Result, first_ns: number, item: WorkItem): Promise<Attempt<void>> {
    const timer = this.#backend.timer;
    result.method = timer.method;
    result.clock_resolution_ns = timer.quantum_ns;
    // Far behind by the device's own clock already in the checked execution: that is its first sample.
    if (timer.method === 'timestamp' && lostTheRace(first_ns / 1000 / hopeless_factor, item)) {
      result.samples_us = [first_ns / 1000];
      result.latency_us_median = first_ns / 1000;
      result.repeats = 1;
      return success(undefined);
    }
    this.#hooks.onPhase([item], timing_cap_ms + first_ns / 1e6 * climbs_allowed);
    const ladder = new TimingLadder(kernel, timer, item.policy, first_ns);
    const climbed = await ladder.climb();
    if (!climbed.ok) return climbed;
    for (let retry = 0; ; retry++) {
      this.#hooks.onPhase([item], timing_cap_ms + first_ns / 1e6 * climbs_allowed);
      const sampling = await this.#sample(ladder, item);
      if (!sampling.ok) return sampling;
      const { samples_us, reference_us, stable } = sampling.value;
      result.samples_us = samples_us;
      result.latency_us_median = median(samples_us);
      result.repeats = ladder.repeats;
      result.reference_us = reference_us;
      if (stable) return success(undefined);
      if (retry === retries_on_drift) {
        const why = this.#hooks.isHidden() ? 'the page is hidden' : 'the reference kernel drifted from its usual time';
        return failure('unstable', `${why}; ${retry + 1} tries, the samples of the last are kept`);
      }
    }
  }

  // One round of samples with the reference kernel behind them.
  async #sample(ladder: TimingLadder, item: WorkItem): Promise<Attempt<Sampling>> {
    const samples_us: number[] = [];
    let hidden = this.#hooks.isHidden();
    const started = this.#scheduler.nowMs();
    for (let i = 0; i < item.policy.samples; i++) {
      const sample = await ladder.sampleUs();
      if (!sample.ok) return sample;
      samples_us.push(sample.value);
      hidden ||= this.#hooks.isHidden();
      if (lostTheRace(sample.value, item) || this.#scheduler.nowMs() - started > sampling_ms_max) break;
    }
    const usual_us = this.#drift.median;
    const reference = await this.#referenceUs();
    if (!reference.ok) return reference;
    const drifted = this.#drift.observe(reference.value);
    // A race that is lost by more than the drift explains is lost: no need to run a slow candidate again.
    const excuse = drifted ? Math.max(1, reference.value / usual_us) : 1;
    const lost = lostTheRace((samples_us.at(-1) ?? 0) / excuse, item);
    return success({ samples_us, reference_us: reference.value, stable: (lost || !drifted) && !hidden });
  }

  // One run of the reference kernel, or the median of three when one is off: a burst of other work in that very run says nothing of the
  // samples, of which the median counts, too.
  async #referenceUs(): Promise<Attempt<number>> {
    const runs_us: number[] = [];
    do {
      const run = await this.#backend.referenceUs();
      if (!run.ok) return run;
      runs_us.push(run.value);
    } while (runs_us.length < reference_runs_max && this.#drift.isOff(runs_us[0]!));
    return success(median(runs_us));
  }
}

function buildOne(task: PreparedTask | undefined, item: WorkItem): Promise<Attempt<Kernel>> {
  if (task !== undefined) return task.build(item.candidate);
  return Promise.resolve(failure('not_found', `task ${item.task} was not prepared in this session`));
}

function judge(report: CheckReport, tolerance: number): Attempt<void> {
  if (report.unwritten > 0) return failure('not_written', `${report.unwritten} elements of the output were never written`);
  if (report.max_error <= tolerance) return success(undefined);
  const found = report.max_error.toExponential(2), bound = tolerance.toExponential(2);
  return failure('wrong_output', `the error is ${found} of the reference's range, above ${bound}: ${report.finding}`);
}

function lostTheRace(sample_us: number, item: WorkItem): boolean {
  const best_us = item.candidate.best_so_far_us, factor = item.policy.race_factor;
  return factor > 0 && best_us > 0 && sample_us > factor * best_us;
}

// The watchdog's cap for the first execution: the policy's, or less where the best time or a prediction says that it is absurd already.
export function capMs(policy: MeasurePolicy, candidate: Candidate): number {
  let cap_ms = policy.cap_ms;
  if (candidate.best_so_far_us > 0) cap_ms = Math.min(cap_ms, Math.max(cap_ms_min, cap_of_best * candidate.best_so_far_us / 1000));
  if (candidate.predicted_us > 0) cap_ms = Math.min(cap_ms, Math.max(cap_ms_min, cap_of_prediction * candidate.predicted_us / 1000));
  return cap_ms;
}

function failed(result: Result, why: { outcome: OutcomeName; message: string }): Result {
  result.outcome = why.outcome;
  result.message = why.message;
  if (why.outcome !== 'unstable') {
    result.samples_us = [];
    result.latency_us_median = 0;
  }
  return result;
}

export function emptyResult(item: WorkItem, outcome: OutcomeName, message: string): Result {
  return {
    kind: 'result', batch: item.batch, trial: item.candidate.trial, attempt: item.candidate.attempt, fence: item.fence, outcome, message,
    samples_us: [], latency_us_median: 0, method: '', clock_resolution_ns: 0, repeats: 0, create_ms: 0, device_ms: 0, max_error: 0,
    reference_us: 0,
  };
}
