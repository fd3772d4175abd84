// A heat: the candidates that are timed beside each other. Mostly it is one alone; finalists give their samples in turns, in reversed order
// every second time, so that whatever slows the device down for a while slows all of them down.
// Around the samples: the race against the best so far, the probes that tell whether the processor did something else meanwhile, and the reference
// kernel that tells a drifting device. Behind them the output of each that gets a time is compared once more.
import { agree, fastest, isSure } from './agreement.ts';
import { credible, isCalm, type ProcessorProbe, type Sample } from './calm.ts';
import type { DriftMonitor } from './drift.ts';
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { OtherWork } from './other_work.ts';
import type { Power } from './power.ts';
import { lookAtReference, ownUs, together, type ReferenceLook } from './reference_look.ts';
import { fail, type Result, type WorkItem } from './result.ts';
import { rotationFor } from './rotation.ts';
import type { Scheduler } from './scheduler.ts';
import { median } from './statistics.ts';
import { tellsKernelTime, TimingLadder, type LadderSample } from './timing_ladder.ts';
import { judgeAgain } from './verdict.ts';
import type { WaitScatter } from './wait_scatter.ts';
import type { Backend, Kernel, TimedKernel } from '../device/backend.ts';
import type { CacheState, MeasurePolicy } from '../generated/protocol.ts';

// A candidate whose output was found right.
export interface Contender {
  readonly item: WorkItem;
  readonly kernel: Kernel;
  readonly tolerance: number;  // of its output
  readonly first_ns: number;   // the checked execution, which may hold what the driver compiles in it, and launches that run once
  readonly result: Result;     // gets the times, or the outcome that ended them
}

export interface HeatParts {
  backend: Backend;
  scheduler: Scheduler;
  drift: DriftMonitor;         // of the device, over all heats
  probe: ProcessorProbe | undefined;  // where kernels run on the machine's processor
  power: Power | undefined;           // where they do not
  other_work: OtherWork;       // beside the samples of all heats
  scatter: WaitScatter | undefined;   // where times are slopes
  onPhase(items: readonly WorkItem[], cap_ms: number): void;
  isHidden(): boolean;
}

interface Runner extends Contender, Climbed {
  samples: Sample[];           // of this round of samples
  agreeing: number;            // that must agree, on a device that nothing else tells of
  lost_before: boolean;        // it has lost the race in a round before this one
}

// A kernel in the state of the caches that is timed, and how often it runs in a sample.
interface Climbed {
  readonly timed: TimedKernel;
  readonly ladder: TimingLadder;
}

// What a round of samples says of the device.
interface Conditions {
  hidden: boolean;
  drifted: boolean;
  passing: boolean;            // other work was beside the last sample
  slowdown: number;            // against its usual speed, at least 1
  reference_us: number;
}

const retries_on_drift = 2;
const sampling_ms_max = 1500;  // per candidate: a slow kernel gets fewer samples rather than minutes
const timing_cap_ms = 5000;    // watchdog for one candidate's round of samples, beyond some executions of a slow kernel
const climbs_allowed = 4;
const other_samples = 3;
const once_ns_min = 0.3e6;     // beginning and ending a pass takes some µs
const stall_ns_max = 10e6;     // other work takes a device away for some milliseconds at a time
const recheck_repeats = 2;     // in a row: the second finds what the first left
const recheck_of_sample = 0.5; // they take at most, else there is one
const hopeless_factor = 2;     // one execution this far beyond the race's limit is no accident

export class Heat {
  readonly #parts: HeatParts;
  readonly #onSettled: (contender: Contender) => void;
  #running: Runner[] = [];

  // onSettled: called once for each whose result stands.
  constructor(parts: HeatParts, onSettled: (contender: Contender) => void) {
    this.#parts = parts;
    this.#onSettled = onSettled;
  }

  // Resolves with true when all are settled; with false when the device is lost: the others remain the caller's.
  async run(contenders: readonly Contender[]): Promise<boolean> {
    this.#watch(contenders);
    await this.#parts.power?.raise();
    const alive = await this.#runAll(contenders);
    this.#parts.power?.note();
    return alive;
  }

  async #runAll(contenders: readonly Contender[]): Promise<boolean> {
    for (const contender of contenders) {
      await this.#enter(contender);
      if (contender.result.outcome === 'device_lost') return false;
    }
    for (let retry = 0; this.#running.length > 0; retry++) {
      this.#watch(this.#running);
      const conditions = await this.#sample();
      if (conditions === undefined || !await this.#conclude(conditions, retry)) return false;
    }
    return true;
  }

  // Finds out how often its kernel runs in one sample, unless its result is known already.
  async #enter(contender: Contender): Promise<void> {
    const { result } = contender, timer = this.#parts.backend.timer;
    result.method = timer.method;
    result.clock_resolution_ns = timer.quantum_ns;
    this.#watch([contender]);
    const once = await this.#onceNs(contender);
    if (!once.ok) return this.#settle(contender, once);
    const hopeless = await this.#hopelessNs(contender, once.value);
    if (!hopeless.ok) return this.#settle(contender, hopeless);
    if (hopeless.value > 0) {
      recordTimes(result, [{ us: hopeless.value / 1000, repeats: 1 }]);
      return this.#onSettled(contender);
    }
    const climbed = await this.#climb(contender, once.value);
    if (!climbed.ok) return this.#settle(contender, climbed);
    this.#running.push({ ...contender, ...climbed.value, samples: [], agreeing: 0, lost_before: false });
  }

  // In the state of the caches that the policy wants, climbed; before that the samples in the other state, where they are wanted.
  async #climb(contender: Contender, once_ns: number): Promise<Attempt<Climbed>> {
    const { item: { policy }, result } = contender, wanted = policy.cache ?? 'hot';
    if (policy.both_caches === true) {
      const other_us = await this.#otherUs(contender, wanted === 'hot' ? 'cold' : 'hot', once_ns);
      if (!other_us.ok && other_us.outcome === 'device_lost') return other_us;
      if (other_us.ok && other_us.value > 0) result.other_us = other_us.value;
    }
    const { kernel, state } = await this.#inState(contender, wanted);
    if (state !== 'hot') result.cache = state;
    return this.#climbed(kernel, policy, once_ns);
  }

  // 0 where the device cannot make that state.
  async #otherUs(contender: Contender, other: CacheState, once_ns: number): Promise<Attempt<number>> {
    const { kernel, state } = await this.#inState(contender, other), samples_us: number[] = [];
    if (state !== other) return success(0);
    const climbed = await this.#climbed(kernel, contender.item.policy, once_ns);
    if (!climbed.ok) return climbed;
    for (let taken = 0; taken < other_samples; taken++) {
      const sample = await climbed.value.ladder.sample();
      if (!sample.ok) return sample;
      samples_us.push(sample.value.us);
    }
    return success(median(samples_us));
  }

  async #climbed(timed: TimedKernel, policy: MeasurePolicy, once_ns: number): Promise<Attempt<Climbed>> {
    const { backend, scatter } = this.#parts, looked = await scatter?.look();
    if (looked?.ok === false) return looked;
    const ladder = new TimingLadder(timed, backend.timer, policy, once_ns, scatter?.slope_ns_min ?? 0), climbed = await ladder.climb();
    return climbed.ok ? success({ timed, ladder }) : climbed;
  }

  // Where there is no memory for copies, caches are hot.
  async #inState({ item: { policy }, kernel }: Contender, wanted: CacheState): Promise<{ kernel: TimedKernel; state: CacheState }> {
    const rotation = rotationFor(wanted, policy.model_bytes ?? 0, this.#parts.backend.fingerprint.last_level_cache_bytes);
    const rotating = rotation === undefined ? undefined : await kernel.rotating(rotation);
    return rotating?.ok === true ? { kernel: rotating.value, state: wanted } : { kernel, state: 'hot' };
  }

  // One execution in which no driver compiles, as it may in the checked one, and without launches that run once.
  #onceNs({ kernel, first_ns }: Contender): Promise<Attempt<number>> {
    const telling = tellsKernelTime(this.#parts.backend.timer) && kernel.compiles_late;
    return telling ? kernel.time(1) : Promise.resolve(success(first_ns));
  }

  // An execution that is far behind by the device's own clock already, and long against its steps and a pass's own cost, is its only one; 0 where it
  // is not. One that may be long because something else took the device for a moment must be so twice.
  async #hopelessNs({ item, kernel }: Contender, once_ns: number): Promise<Attempt<number>> {
    const { timer } = this.#parts.backend;
    const telling_ns = Math.max(once_ns_min, item.policy.quanta_min * timer.quantum_ns);
    const isHopeless = (ns: number): boolean => tellsKernelTime(timer) && ns >= telling_ns && lostTheRace(ns / 1000 / hopeless_factor, item);
    if (!isHopeless(once_ns)) return success(0);
    if (once_ns >= stall_ns_max) return success(once_ns);
    const again = await kernel.time(1);
    return again.ok ? success(isHopeless(again.value) ? again.value : 0) : again;
  }

  #watch(contenders: readonly Contender[]): void {
    const cap_ms = contenders.reduce((sum, { first_ns }) => sum + timing_cap_ms + first_ns / 1e6 * climbs_allowed, 0);
    this.#parts.onPhase(contenders.map(({ item }) => item), cap_ms);
  }

  // One round of samples, the reference kernel behind it; undefined when the device is lost.
  async #sample(): Promise<Conditions | undefined> {
    for (const runner of this.#running) this.#begin(runner);
    const { scheduler, isHidden, probe } = this.#parts, started_ms = scheduler.nowMs(), candidates = this.#running.length;
    const calm_until_ms = started_ms + (probe?.patience_ms ?? 0) * candidates, until_ms = started_ms + sampling_ms_max * candidates;
    let hidden = isHidden(), amid: ReferenceLook | undefined;
    for (let turn = [...this.#running], taken = 1; turn.length > 0 && scheduler.nowMs() <= until_ms; taken++) {
      for (const runner of turn) {
        if (!await this.#takeSample(runner, calm_until_ms)) return undefined;
        hidden ||= isHidden();
      }
      const may_wait = scheduler.nowMs() < calm_until_ms;
      turn = turn.filter(runner => this.#wantsMore(runner, may_wait)).reverse();
      if (taken === 1 && turn.length > 0) amid = await this.#lookAmid();
    }
    for (const runner of this.#running) if (!hasLost(runner, 1)) probe?.learn(isCalmEnough(runner));
    return this.#conditions(hidden, amid);
  }

  #begin(runner: Runner): void {
    runner.samples = [];
    runner.agreeing = runner.item.policy.samples + (this.#judgesAlone ? this.#parts.other_work.samples_more : 0);
  }

  // False when the device is lost.
  async #takeSample(runner: Runner, calm_until_ms: number): Promise<boolean> {
    const { probe } = this.#parts;
    const before = (isCalmEnough(runner) ? probe?.disturbance() : probe?.awaitCalm(calm_until_ms)) ?? 1;
    const sample = await runner.ladder.sample();
    if (sample.ok) runner.samples.push({ ...sample.value, disturbance: Math.max(before, probe?.disturbance() ?? 1) });
    else this.#settle(runner, sample);
    return sample.ok || sample.outcome !== 'device_lost';
  }

  // On a GPU also between the first sample and the others: what is over before the reference kernel behind them was there then, or they disagree.
  // Where it is over within the look, the first sample was beside it: one more must agree with that.
  async #lookAmid(): Promise<ReferenceLook | undefined> {
    const { backend, drift } = this.#parts, look = this.#judgesAlone ? await lookAtReference(backend, drift) : undefined;
    if (look?.ok !== true) return undefined;
    if (look.value.passing) for (const runner of this.#running) runner.agreeing = runner.item.policy.samples + 1;
    return look.value;
  }

  async #conditions(hidden: boolean, amid: ReferenceLook | undefined): Promise<Conditions | undefined> {
    const { backend, drift, scatter } = this.#parts, usual_us = drift.median, off_amid = amid !== undefined && drift.isOff(amid.us);
    const reference = await lookAtReference(backend, drift);
    if (!reference.ok && reference.outcome === 'unstable') return { hidden, drifted: true, passing: false, slowdown: 1, reference_us: 0 };
    if (!reference.ok) {
      // Nobody knows which of several it was.
      if (this.#running.length === 1) this.#settle(this.#running[0]!, reference);
      return undefined;
    }
    const { us, passing } = reference.value, drifted = drift.observe(us), reference_us = ownUs(together(us, amid?.us ?? us), scatter);
    const slowdown = drifted ? Math.max(1, ownUs(us, scatter) / ownUs(usual_us, scatter)) : 1;
    return { hidden, drifted: drifted || off_amid, passing, slowdown, reference_us };
  }

  // Settles those whose samples can be believed; the others run again, a few times. False when the device is lost.
  async #conclude(conditions: Conditions, retry: number): Promise<boolean> {
    for (const runner of [...this.#running]) {
      recordTimes(runner.result, this.#counting(runner));
      runner.result.reference_us = conditions.reference_us / this.#parts.backend.reference_works;
      const why = this.#doubt(runner, conditions) ?? (retry === 0 ? this.#slightDoubt(runner, conditions) : undefined);
      if (why === undefined && !await this.#settleTimed(runner)) return false;
      if (why !== undefined && retry === retries_on_drift) this.#settle(runner, failure('unstable', `${why}; ${retry + 1} tries, the samples of the last are kept`));
      this.#noteOtherWork(runner);
      runner.lost_before = hasLost(runner, conditions.slowdown);
    }
    return true;
  }

  // The first samples tell: as many are taken whatever they say.
  #noteOtherWork({ samples, item: { policy } }: Runner): void {
    if (samples.length >= policy.samples) this.#parts.other_work.note(!agree(samples.slice(0, policy.samples), policy.samples));
  }

  // Its time counts where its output is still right; one that has lost the race is no best, whatever its output. False when the device is lost.
  async #settleTimed(runner: Runner): Promise<boolean> {
    if (hasLost(runner, 1)) this.#settle(runner);
    else this.#settle(runner, await this.#recheck(runner));
    return runner.result.outcome !== 'device_lost';
  }

  async #recheck(runner: Runner): Promise<Attempt<unknown>> {
    const { timed, ladder: { repeats }, tolerance, result } = runner;
    this.#watch([runner]);
    return judgeAgain(await timed.recheck(recheck_repeats <= recheck_of_sample * repeats ? recheck_repeats : 1), tolerance, result);
  }

  // Its samples that count.
  #counting({ samples, item: { policy } }: Runner): Sample[] {
    return this.#judgesAlone ? fastest(samples, policy.samples) : credible(samples, policy.samples);
  }

  // Why its samples cannot be believed; undefined where they can.
  #doubt(runner: Runner, { hidden, drifted, slowdown }: Conditions): string | undefined {
    const { samples, agreeing } = runner;
    if (hidden) return 'the page was hidden';
    // A race that is lost by more than the drift explains is lost: no need to run a slow candidate again, but once where one sample is all that tells.
    if (hasLost(runner, slowdown)) return this.#judgesAlone && !runner.lost_before ? 'its samples disagree about the race' : undefined;
    if (drifted) return 'the reference kernel drifted from its usual time';
    return this.#judgesAlone && samples.length > agreeing && !agree(samples, agreeing) ? 'its samples disagree' : undefined;
  }

  // Why its samples are taken once more.
  #slightDoubt(runner: Runner, { passing }: Conditions): string | undefined {
    return this.#judgesAlone && passing && !hasLost(runner, 1) ? 'other work was beside its last sample' : undefined;
  }

  // Where nothing tells what goes on beside a sample, as on a GPU, samples are judged by one another.
  get #judgesAlone(): boolean {
    return this.#parts.power !== undefined;
  }

  #wantsMore(runner: Runner, may_wait: boolean): boolean {
    const { samples, agreeing, result } = runner;
    if (result.outcome !== 'ok' || hasLost(runner, 1)) return false;
    if (samples.length < agreeing) return true;
    return this.#judgesAlone ? samples.length < 2 * agreeing && !isSure(samples, agreeing) : may_wait && !isCalmEnough(runner);
  }

  #settle(contender: Contender, ended: Attempt<unknown> = success(undefined)): void {
    this.#running = this.#running.filter(runner => runner !== contender);
    if (!ended.ok) fail(contender.result, ended);
    this.#onSettled(contender);
  }
}

// By its last sample, on a device so much slower than usual; beside other work no kernel is sure to be slow by less than hopeless_factor.
function hasLost({ samples, item }: Runner, slowdown: number): boolean {
  const last = samples.at(-1);
  return last !== undefined && lostTheRace(last.us / Math.max(slowdown, isCalm(last) ? 1 : hopeless_factor), item);
}

// Calm ones among its samples that do: more than half, so that their median is of a calm one.
function calmWanted({ item }: Runner): number {
  return Math.floor(item.policy.samples / 2) + 1;
}

function isCalmEnough(runner: Runner): boolean {
  return runner.samples.filter(isCalm).length >= calmWanted(runner);
}

// The repeats are those of the sample in the middle.
function recordTimes(result: Result, samples: readonly LadderSample[]): void {
  const middle = [...samples].sort((a, b) => a.us - b.us)[samples.length >> 1];
  result.samples_us = samples.map(({ us }) => us);
  result.latency_us_median = median(result.samples_us);
  result.repeats = middle?.repeats ?? 0;
}

export function lostTheRace(sample_us: number, item: WorkItem): boolean {
  const best_us = item.candidate.best_so_far_us, factor = item.policy.race_factor;
  return factor > 0 && best_us > 0 && sample_us > factor * best_us;
}
