// The job loop: takes a group of candidates through a device and reports one result for each.
//   1. create all pipelines at once (the browser compiles on several threads; nothing is timed meanwhile);
//   2. heat by heat (one candidate, or a batch that is measured in turns): a checked single execution of each, then the times (heat.ts).
// A candidate is timed only after its output was found right, and keeps its time only where it is right behind the timed runs, too.
import { ProcessorProbe, runsOnProcessor } from './calm.ts';
import { DriftMonitor } from './drift.ts';
import { Heat, lostTheRace, type Contender } from './heat.ts';
import type { Attempt } from './outcome.ts';
import { failure } from './outcome.ts';
import { OtherWork } from './other_work.ts';
import { Power } from './power.ts';
import { emptyResult, fail, type Result, type WorkItem } from './result.ts';
import type { Scheduler } from './scheduler.ts';
import { tellsKernelTime } from './timing_ladder.ts';
import { judge } from './verdict.ts';
import { WaitScatter } from './wait_scatter.ts';
import type { Backend, Kernel, PreparedTask } from '../device/backend.ts';
import type { Candidate, MeasurePolicy } from '../generated/protocol.ts';

export interface JobHooks {
  // The device is busy with these items for at most cap_ms, as far as can be foreseen; called at the start of each step.
  onPhase(items: readonly WorkItem[], cap_ms: number): void;
  onResult(item: WorkItem, result: Result): void;
  onTiming(active: boolean): void;
  isHidden(): boolean;            // the tab is hidden: its samples are worth nothing
}

// A candidate whose pipelines were tried.
interface Built {
  item: WorkItem;
  kernel: Attempt<Kernel>;
  tolerance: number;
  sets: number;                   // of inputs that it is checked on
  create_ms: number;              // its share of the group's creation
  result: Result;
}

export const create_cap_ms = 30_000;  // watchdog for the creation of one pipeline: SwiftShader takes up to 0.7 s, phones seconds
const cap_of_best = 100;              // no candidate may take more than this many times the best
const cap_of_prediction = 20;          // nor than this many times what it is known or expected to take
const cap_ms_min = 2000;

export class JobLoop {
  readonly #backend: Backend;
  readonly #scheduler: Scheduler;
  readonly #hooks: JobHooks;
  readonly #drift: DriftMonitor;
  readonly #probe: ProcessorProbe | undefined;
  readonly #power: Power | undefined;
  readonly #scatter: WaitScatter | undefined;
  readonly #other_work = new OtherWork();

  constructor(backend: Backend, scheduler: Scheduler, hooks: JobHooks) {
    this.#backend = backend;
    this.#scheduler = scheduler;
    this.#hooks = hooks;
    this.#drift = new DriftMonitor(backend.timer.quantum_ns / 1000);
    const waitNs = backend.waitNs?.bind(backend);
    if (waitNs !== undefined && !tellsKernelTime(backend.timer)) this.#scatter = new WaitScatter(waitNs);
    if (!runsOnProcessor(backend.fingerprint)) this.#power = new Power(() => backend.referenceUs(), scheduler, this.#drift);
    // A slope is a difference: other work makes it shorter as well as longer.
    if (runsOnProcessor(backend.fingerprint) && tellsKernelTime(backend.timer)) this.#probe = new ProcessorProbe(() => scheduler.nowMs());
  }

  // Resolves when each item has its result, or early when the device is lost: items without a result are the caller's again.
  async run(items: readonly WorkItem[], taskOf: (task: string) => PreparedTask | undefined): Promise<void> {
    const built = await this.#build(items, taskOf);
    let alive = true;
    this.#hooks.onTiming(true);
    for (const heat of heatsOf(built)) {
      if (alive) alive = await this.#runHeat(heat);
      for (const { kernel, item, result } of heat) if (kernel.ok) kernel.value.dispose(mayComeAgain(item, result));
    }
    this.#hooks.onTiming(false);
  }

  async #build(items: readonly WorkItem[], taskOf: (task: string) => PreparedTask | undefined): Promise<Built[]> {
    this.#hooks.onPhase(items, create_cap_ms * items.length);
    const started = this.#scheduler.nowMs();
    const kernels = await Promise.all(items.map(item => buildOne(taskOf(item.task), item)));
    const create_ms = (this.#scheduler.nowMs() - started) / items.length;
    return kernels.map((kernel, i) => ({ item: items[i]!, kernel, tolerance: taskOf(items[i]!.task)?.tolerance ?? 0, sets: taskOf(items[i]!.task)?.sets ?? 1, create_ms, result: emptyResult(items[i]!, 'ok', '') }));
  }

  // False when the device is lost.
  async #runHeat(heat: readonly Built[]): Promise<boolean> {
    const contenders: Contender[] = [];
    for (const built of heat) {
      const contender = await this.#check(built);
      if (contender !== undefined) contenders.push(contender);
      else this.#hooks.onResult(built.item, built.result);
      if (built.result.outcome === 'device_lost') return false;
    }
    const started = this.#scheduler.nowMs();
    const { onPhase, isHidden } = this.#hooks;
    return new Heat({ backend: this.#backend, scheduler: this.#scheduler, drift: this.#drift, probe: this.#probe, power: this.#power, scatter: this.#scatter, other_work: this.#other_work, onPhase, isHidden }, ({ item, result }) => {
      result.device_ms += (this.#scheduler.nowMs() - started) / contenders.length;
      this.#hooks.onResult(item, result);
    }).run(contenders);
  }

  // One execution on each set of inputs, whose output is compared. No contender when the candidate ends here.
  async #check({ item, kernel, tolerance, sets, create_ms, result }: Built): Promise<Contender | undefined> {
    result.device_ms = create_ms;
    if (!kernel.ok) {
      fail(result, kernel);
      return undefined;
    }
    this.#hooks.onPhase([item], sets * capMs(item.policy, item.candidate));
    const started = this.#scheduler.nowMs();
    const checked = await kernel.value.check();
    const check_ms = this.#scheduler.nowMs() - started;
    const { create_ms: made_ms, compiles_late } = kernel.value;
    result.create_ms = made_ms + (compiles_late && made_ms > 0 ? check_ms : 0);
    result.device_ms += check_ms;
    const verdict = judge(checked, tolerance, result);
    if (!verdict.ok) fail(result, verdict);
    return verdict.ok ? { item, kernel: kernel.value, tolerance, first_ns: verdict.value.first_ns, result } : undefined;
  }
}

// A batch that is measured in turns is one heat, as far as it is in this group; any other candidate is a heat of its own.
function heatsOf(built: readonly Built[]): Built[][] {
  const heats: Built[][] = [];
  for (const one of built) {
    const last = heats.at(-1), before = last?.[0]?.item;
    if (one.item.policy.in_turns && before?.batch === one.item.batch) last?.push(one);
    else heats.push([one]);
  }
  return heats;
}

// Finals and pairs in turns are of those that did not lose.
function mayComeAgain(item: WorkItem, { outcome, latency_us_median }: Result): boolean {
  return outcome === 'ok' && latency_us_median > 0 && !lostTheRace(latency_us_median, item);
}

function buildOne(task: PreparedTask | undefined, item: WorkItem): Promise<Attempt<Kernel>> {
  if (task !== undefined) return task.build(item.candidate, item.modules);
  return Promise.resolve(failure('not_found', `task ${item.task} was not prepared in this session`));
}

// The watchdog's cap for the first execution: the policy's, or less where the best time or a prediction says that it is absurd already.
export function capMs(policy: MeasurePolicy, candidate: Candidate): number {
  let cap_ms = policy.cap_ms;
  if (candidate.best_so_far_us > 0) cap_ms = Math.min(cap_ms, Math.max(cap_ms_min, cap_of_best * candidate.best_so_far_us / 1000));
  if (candidate.predicted_us > 0) cap_ms = Math.min(cap_ms, Math.max(cap_ms_min, cap_of_prediction * candidate.predicted_us / 1000));
  return cap_ms;
}
