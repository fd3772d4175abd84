// DeviceSupervisor: owns the device's worker, the queue of candidates and the watchdog. It survives what the worker does not:
// a candidate that does not end is reported as `timeout`, one that loses the device as `device_lost`, the worker is replaced, prepared
// tasks are prepared again and the other candidates are tried anew. A task that loses the device twice is given up. When no healthy device comes back in time the state is "stuck": only a new browser helps then.
import { Backoff } from './backoff.ts';
import { knownOf, type KnownDevice } from './known_device.ts';
import type { DeviceLink, FromDevice, SpawnDevice } from './device_link.ts';
import type { Modules } from './measure_modules.ts';
import { emptyResult, type Result, type WorkItem } from './result.ts';
import type { Attempt, OutcomeName } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { Cancel, Scheduler } from './scheduler.ts';
import type { DeviceChoice, Execution, PlanSpec, TargetChoice, TaskSpec } from '../device/backend.ts';
import type { Fingerprint, Measure, Timer } from '../generated/protocol.ts';

export type DeviceCondition = 'starting' | 'ready' | 'recovering' | 'stuck' | 'unavailable';

export interface SupervisorObserver {
  onCondition(condition: DeviceCondition, message: string): void;
  onResult(result: Result, task: string): void;
  onBatchDone(batch: number): void;
  onTiming(active: boolean): void;
}

export interface SupervisorConfig {
  group_max: number;       // candidates whose pipelines are created at once
  grace_ms: number;        // after a time-out was reported, or the session ended: how long the worker may still come back by itself
  open_ms: number;         // each step of opening a device must end within this, else stuck
  choice: DeviceChoice;
  slowdown_max: number;    // healthy = a fixed amount of work takes at most this many times what it took at first
}

interface Queued {
  item: WorkItem;
  alone: boolean;          // its group did not end: create it alone, so that the offender is known
  wanted: boolean;         // false: timed out or of a session that is over, but it still occupies the worker
}

// A model that is to be run. The worker has it, or it waits until the device is ready and idle.
interface Planned {
  id: number;
  plan: PlanSpec;
  posted: boolean;
  done(execution: Attempt<Execution>): void;
}

interface Refusal {
  outcome: OutcomeName;
  message: string;
}

const losses_of_task_max = 2;
export const prepare_ms_max = 60_000;   // of one task's buffers; the slowest phone fills the largest in some seconds
const left_busy = 'a kernel of an earlier job still runs on it';
// A worker that is ended in the midst of WebAssembly computes on for a while (in Chromium 2 s, then it is ended by force): until then it
// takes processors from the next worker's kernels, which would pass for slow ones.
const wasm_ending_ms = 2500;

export class DeviceSupervisor {
  condition: DeviceCondition = 'starting';
  message = '';
  fingerprint: Fingerprint | undefined;
  timer: Timer | undefined;
  note = '';                                          // a sentence on the device, for people
  readonly #spawn: SpawnDevice;
  readonly #scheduler: Scheduler;
  readonly #observer: SupervisorObserver;
  readonly #config: SupervisorConfig;
  readonly #backoff: Backoff;
  #link: DeviceLink | undefined;
  #is_open = false;                                   // the link has its device
  #was_used = false;                                  // a model ran there, or candidates
  #generation = 0;                                    // messages of an ended worker are ignored
  #waiting: Queued[] = [];
  #running: Queued[] = [];
  #open_of_batch = new Map<number, number>();         // results that a batch still owes
  #tasks = new Map<string, TaskSpec>();
  #preparing = new Map<string, ((outcome: Attempt<void>) => void)[]>();
  #planned: Planned | undefined;
  #next_plan = 1;
  #left_plan: number | undefined;                     // nobody waits for it any more, but it still occupies the worker
  #asked = new Map<string, number>();                 // times that the device was lost under a task whose buffers are asked for, in order
  #refused = new Map<string, Refusal>();              // tasks that have no buffers, and why
  #phase = new Set<string>();                         // the candidates of the current step
  #known_target: TargetChoice | undefined;
  #known: KnownDevice | undefined;                     // as it was opened first
  #healthy_us: number | undefined;
  #watchdog: Cancel | undefined;
  #recover_since_ms = 0;
  #cause = '';                                        // why the device had to recover
  #phase_since_ms = 0;
  #visible = true;

  constructor(spawn: SpawnDevice, scheduler: Scheduler, observer: SupervisorObserver, config: SupervisorConfig, random: () => number) {
    this.#spawn = spawn;
    this.#scheduler = scheduler;
    this.#observer = observer;
    this.#config = config;
    this.#backoff = new Backoff({ first_ms: 250, cap_ms: 5000, random });
  }

  start(): void {
    this.#recover_since_ms = this.#scheduler.nowMs();
    this.#open();
  }

  // True while the worker answers or a replacement may still come in time.
  get alive(): boolean {
    return this.condition !== 'stuck';
  }

  // How long the device has been on its current step; 0 when idle.
  busyMs(): number {
    return this.#running.length === 0 ? 0 : this.#scheduler.nowMs() - this.#phase_since_ms;
  }

  get current(): WorkItem | undefined {
    return this.#running.find(queued => queued.wanted)?.item;
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#link?.post({ kind: 'visible', visible });
  }

  // Resolves when the device holds the task's buffers. The task stays known: a new worker prepares it again by itself.
  prepare(spec: TaskSpec): Promise<Attempt<void>> {
    this.#tasks.set(spec.task, spec);
    this.#refused.delete(spec.task);
    return new Promise(done => {
      const waiting = this.#preparing.get(spec.task) ?? [];
      this.#preparing.set(spec.task, [...waiting, done]);
      if (this.#is_open) this.#ask(spec);
    });
  }

  // modules: per candidate, in order; none for candidates of text alone.
  measure(batch: Measure, modules: readonly Modules[] = []): void {
    const { candidates, ...common } = batch;
    this.#open_of_batch.set(batch.batch, candidates.length);
    if (candidates.length === 0) this.#settleBatch(batch.batch);
    for (const [i, candidate] of candidates.entries()) {
      const item: WorkItem = { batch: common.batch, fence: common.fence, task: common.task, policy: common.policy, candidate, modules: modules[i] ?? [] };
      this.#waiting.push({ item, alone: false, wanted: true });
    }
    this.#refuse();
    this.#feed();
  }

  // Runs a model once the device is ready and idle. A device that is lost on the way, or does not end in time, is the model's failure: it
  // is not tried again here. One at a time: another one is refused as busy.
  execute(plan: PlanSpec): Promise<Attempt<Execution>> {
    if (this.#planned !== undefined) return Promise.resolve(failure('busy', 'the device runs another model'));
    return new Promise(done => {
      this.#planned = { id: this.#next_plan++, plan, posted: false, done };
      this.#feed();
    });
  }

  // Skips what has not begun: each skipped candidate gets the outcome `cancelled`.
  cancel(batch: number): void {
    const skipped = this.#waiting.filter(queued => queued.item.batch === batch);
    this.#waiting = this.#waiting.filter(queued => queued.item.batch !== batch);
    for (const queued of skipped) this.#settle(queued, emptyResult(queued.item, 'cancelled', 'the batch was cancelled'));
  }

  // Forgets all work and frees the tasks: the session is over, nobody waits for the results.
  release(): void {
    this.#waiting = [];
    for (const queued of this.#running) queued.wanted = false;
    this.#open_of_batch.clear();
    this.#tasks.clear();
    this.#asked.clear();
    this.#refused.clear();
    for (const done of [...this.#preparing.values()].flat()) done(failure('cancelled', 'the session ended'));
    this.#preparing.clear();
    if (this.#planned?.posted === true) this.#left_plan = this.#planned.id;
    this.#settlePlan(failure('cancelled', 'the session ended'));
    this.#link?.post({ kind: 'release' });
    this.#watchPreparing();
    if (this.#isLeftBusy()) this.#watch(this.#config.grace_ms, () => this.#replace(left_busy));
  }

  // All that the worker does is of a session that is over.
  #isLeftBusy(): boolean {
    return this.#left_plan !== undefined || (this.#running.length > 0 && !this.#running.some(queued => queued.wanted));
  }

  #open(): void {
    const generation = ++this.#generation;
    this.#is_open = this.#was_used = false;
    this.#link = this.#spawn(
      message => { if (generation === this.#generation) this.#onMessage(message); },
      reason => { if (generation === this.#generation) this.#lose(`the worker ended: ${reason}`); },
    );
    this.#link.post({ kind: 'visible', visible: this.#visible });
    // Once there was a device it stays the same one: whatever waits was made for it.
    const { choice } = this.#config;
    this.#link.post({ kind: 'open', choice: { ...choice, target: this.#known_target ?? choice.target }, ...(this.#known && { known: this.#known }) });
    this.#watchOpening('');
  }

  #watchOpening(doing: string): void {
    const where = doing === '' ? '' : `: it did not end ${doing}`;
    this.#watch(this.#config.open_ms, () => this.#replace(`the browser gave no working device in time${where}`));
  }

  #onMessage(message: FromDevice): void {
    switch (message.kind) {
      case 'opening': return this.#watchOpening(message.next);
      case 'opened': return this.#onOpened(message);
      case 'unavailable': return this.#onUnavailable(message.reason, message.remedy);
      case 'prepared': return this.#onPrepared(message.task, message.error);
      case 'phase': return this.#onPhase(message.trials, message.cap_ms);
      case 'result': return this.#onResult(message.result);
      case 'timing': return this.#observer.onTiming(message.active);
      case 'done': return this.#onDone();
      case 'executed':
        return this.#onExecuted(message.id, message.execution);
      case 'lost': return this.#lose(message.reason);
      default: message satisfies never;
    }
  }

  #onExecuted(id: number, execution: Attempt<Execution>): void {
    if (id !== this.#planned?.id && id !== this.#left_plan) return;
    this.#watch(undefined);
    this.#left_plan = undefined;
    if (id === this.#planned?.id) this.#settlePlan(execution);
    else this.#feed();
  }

  #onOpened({ fingerprint, timer, reference_us, note, work }: Extract<FromDevice, { kind: 'opened' }>): void {
    this.#watch(undefined);
    this.#healthy_us ??= reference_us;
    if (reference_us > this.#config.slowdown_max * this.#healthy_us) {
      return this.#replace(`the device answers ${(reference_us / this.#healthy_us).toFixed(1)} times slower than at first: it is still busy`);
    }
    this.fingerprint = fingerprint;
    this.timer = timer;
    this.note = note;
    this.#known ??= knownOf({ fingerprint, timer, work, note });
    this.#known_target = fingerprint.target as TargetChoice;
    this.#backoff.reset();
    this.#is_open = true;
    this.#become('ready', '');
    for (const spec of this.#tasks.values()) this.#ask(spec);
    this.#feed();
  }

  #onUnavailable(reason: string, remedy: string): void {
    if (this.fingerprint !== undefined) return this.#replace(reason);  // there was one before: it may come back
    this.#watch(undefined);
    this.#become('unavailable', `${reason} ${remedy}`);
  }

  #ask(spec: TaskSpec): void {
    this.#asked.set(spec.task, this.#asked.get(spec.task) ?? 0);
    this.#link?.post({ kind: 'prepare', spec });
    this.#watchPreparing();
  }

  // While candidates or a model are under way, their own caps hold.
  #watchPreparing(): void {
    const works = this.#running.length > 0 || this.#planned?.posted === true || this.#left_plan !== undefined;
    if (works || !this.#is_open) return;
    this.#watch(this.#asked.size === 0 ? undefined : prepare_ms_max, () => this.#lose(`a task's buffers were not made within ${prepare_ms_max / 1000} s`));
  }

  #onPrepared(task: string, error: Refusal | undefined): void {
    const waiting = this.#preparing.get(task) ?? [];
    this.#preparing.delete(task);
    this.#asked.delete(task);
    if (error !== undefined) {
      this.#tasks.delete(task);
      this.#refused.set(task, error);
      this.#refuse();
    }
    this.#watchPreparing();
    for (const done of waiting) done(error === undefined ? success(undefined) : failure(error.outcome, error.message));
  }

  // A task that was prepared before may find no memory on a new device: its candidates cannot run.
  #refuse(): void {
    for (const queued of this.#waiting) {
      const why = this.#refused.get(queued.item.task);
      if (why !== undefined) this.#settle(queued, emptyResult(queued.item, why.outcome, why.message));
    }
    this.#waiting = this.#waiting.filter(queued => queued.wanted);
  }

  // The device is gone, or the worker. Whoever was on it alone is the likely cause: without a result it would be tried for ever.
  #lose(reason: string): void {
    const suspects = this.#running.filter(queued => queued.wanted && this.#phase.has(keyOf(queued.item)));
    const [only] = suspects;
    if (suspects.length === 1 && only !== undefined) this.#settle(only, emptyResult(only.item, 'device_lost', reason));
    else for (const queued of suspects) queued.alone = true;
    const [task] = this.#asked.keys();
    if (this.#running.length === 0 && this.#planned?.posted !== true && task !== undefined) {
      const losses = (this.#asked.get(task) ?? 0) + 1;
      this.#asked.set(task, losses);
      if (losses >= losses_of_task_max) this.#onPrepared(task, { outcome: 'device_lost', message: reason });
    }
    this.#replace(reason);
  }

  #onPhase(trials: { trial: number; attempt: number }[], cap_ms: number): void {
    this.#phase_since_ms = this.#scheduler.nowMs();
    const keys = this.#phase = new Set(trials.map(trial => key(trial.trial, trial.attempt)));
    if (this.#isLeftBusy()) return;   // the watchdog waits for the end of all of it
    this.#watch(cap_ms, () => this.#onOverdue(keys, cap_ms));
  }

  // The step did not end within its cap.
  #onOverdue(keys: Set<string>, cap_ms: number): void {
    const overdue = this.#running.filter(queued => keys.has(keyOf(queued.item)));
    const [offender] = overdue;
    if (overdue.length === 1 && offender !== undefined) {
      this.#settle(offender, emptyResult(offender.item, 'timeout', `the kernel did not end within ${cap_ms} ms`));
      this.#watch(this.#config.grace_ms, () => this.#replace('a kernel did not end'));
      return;
    }
    for (const queued of overdue) queued.alone = true;
    this.#replace(`a step of ${overdue.length} candidates did not end in time`);
  }

  #onResult(result: Result): void {
    const found = this.#running.find(queued => keyOf(queued.item) === key(result.trial, result.attempt));
    if (found !== undefined) this.#settle(found, result);
  }

  #onDone(): void {
    this.#watch(undefined);
    this.#requeueRunning();
    this.#watchPreparing();
    this.#feed();
  }

  // Reports the result unless nobody wants it any more; the item wants no other.
  #settle(queued: Queued, result: Result): void {
    if (!queued.wanted) return;
    queued.wanted = false;
    this.#observer.onResult(result, queued.item.task);
    const batch = queued.item.batch, left = (this.#open_of_batch.get(batch) ?? 1) - 1;
    this.#open_of_batch.set(batch, left);
    if (left === 0) this.#settleBatch(batch);
  }

  #settleBatch(batch: number): void {
    this.#open_of_batch.delete(batch);
    this.#observer.onBatchDone(batch);
  }

  #requeueRunning(): void {
    this.#waiting = [...this.#running.filter(queued => queued.wanted), ...this.#waiting];
    this.#running = [];
  }

  // Ends the worker and starts another. Stuck after open_ms without success, but it never stops trying.
  #replace(reason: string): void {
    this.#watch(undefined);
    this.#end();
    this.#observer.onTiming(false);
    if (this.#planned?.posted === true) this.#settlePlan(failure('device_lost', reason));
    this.#left_plan = undefined;
    this.#requeueRunning();
    const now = this.#scheduler.nowMs();
    if (this.condition === 'ready') {
      this.#recover_since_ms = now;
      this.#cause = reason;
    }
    const why = this.#cause === '' || this.#cause === reason ? reason : `${this.#cause}; ${reason}`;
    this.#become(now - this.#recover_since_ms >= this.#config.open_ms ? 'stuck' : 'recovering', why);
    const ending_ms = this.#known_target === 'wasm' ? wasm_ending_ms : 0;
    this.#watch(Math.max(ending_ms, this.#backoff.nextMs()), () => this.#open());
  }

  #end(): void {
    this.#generation++;
    this.#link?.terminate();
    this.#link = undefined;
    this.#is_open = false;
  }

  // For those outside it is the same device as before, and ready.
  #renew(): void {
    this.#recover_since_ms = this.#scheduler.nowMs();
    this.#end();
    this.#open();
  }

  #settlePlan(execution: Attempt<Execution>): void {
    const planned = this.#planned;
    this.#planned = undefined;
    planned?.done(execution);
    if (planned !== undefined) this.#feed();
  }

  #feedPlan(planned: Planned): void {
    const { id, plan } = planned, { cap_ms } = plan;
    if (plan.fresh === true && this.#was_used) return this.#renew();
    planned.posted = this.#was_used = true;
    this.#watch(cap_ms, () => {
      if (this.#planned?.id === id) this.#settlePlan(failure('timeout', `the model did not end within ${cap_ms} ms`));
      this.#replace('a model did not end');
    });
    this.#link?.post({ kind: 'execute', id, plan });
  }

  #feed(): void {
    if (this.#left_plan !== undefined) return;
    if (this.#is_open && this.#running.length === 0 && this.#planned?.posted === false) return this.#feedPlan(this.#planned);
    if (this.#planned !== undefined) return;
    if (!this.#is_open || this.#running.length > 0 || this.#waiting.length === 0 || this.#link === undefined) return;
    this.#running = this.#waiting.splice(0, this.#groupSize());
    this.#phase_since_ms = this.#scheduler.nowMs();
    this.#was_used = true;
    this.#link.post({ kind: 'run', items: this.#running.map(queued => queued.item) });
  }

  // How many of those that wait go to the device at once. A batch that is measured in turns stays together.
  #groupSize(): number {
    if (this.#waiting[0]?.alone === true) return 1;
    const next = this.#waiting[this.#config.group_max]?.item;
    if (next?.policy.in_turns !== true) return this.#config.group_max;
    const begin = this.#waiting.findIndex(({ item }) => item.batch === next.batch);
    return begin > 0 ? begin : this.#waiting.filter(({ item }) => item.batch === next.batch).length;
  }

  #become(condition: DeviceCondition, message: string): void {
    if (condition === this.condition && message === this.message) return;
    this.condition = condition;
    this.message = message;
    this.#observer.onCondition(condition, message);
  }

  #watch(delay_ms: number | undefined, run: () => void = () => {}): void {
    this.#watchdog?.();
    this.#watchdog = delay_ms === undefined ? undefined : this.#scheduler.after(delay_ms, run);
  }
}

function key(trial: number, attempt: number): string {
  return `${trial}/${attempt}`;
}

function keyOf(item: WorkItem): string {
  return key(item.candidate.trial, item.candidate.attempt);
}
