// Agent: puts control connection, session and device together, and keeps the picture that the page shows.
import { BlobCache } from './blob_cache.ts';
import type { Trackers } from './trackers.ts';
import type { Connect } from './channel.ts';
import { Control, type ControlIdentity, type ControlState, type Resume } from './control.ts';
import type { SpawnDevice } from './device_link.ts';
import type { Result } from './result.ts';
import type { Attempt } from './outcome.ts';
import { ResultOutbox } from './result_outbox.ts';
import type { Scheduler } from './scheduler.ts';
import { Session } from './session.ts';
import { DeviceSupervisor, type DeviceCondition } from './supervisor.ts';
import type { DeviceChoice } from '../device/backend.ts';
import type {
  ControlFromAgent, ControlFromTracker, DeviceGrant, DeviceOffer, DeviceStateKind, Fingerprint, OpenSession, Role, SessionFromAgent,
  SessionFromServer, Timer,
} from '../generated/protocol.ts';

export interface AgentParts {
  identity: ControlIdentity;
  launch_flags: string[] | undefined;
  physical_id: string | undefined;   // of the device itself, 32 hexadecimal digits; undefined where nothing keeps one
  scheduler: Scheduler;
  random: () => number;
  group_max: number;
  choice: DeviceChoice;
  trackers: Trackers;
  connectControl: Connect<ControlFromAgent, ControlFromTracker>;   // at trackers.current, as connectSession, for paths
  connectSession: Connect<SessionFromAgent, SessionFromServer>;
  spawnDevice: SpawnDevice;
  fetchBlob(sha256: string, bytes: number): Promise<Attempt<ArrayBuffer>>;
  onPicture(picture: AgentPicture): void;
  onResume(resume: Resume): void;   // to be kept for the next start
  onToken(token: string): void;     // likewise: the agent's own, for its code
}

// What the page shows.
export interface AgentPicture {
  control: { state: ControlState; message: string; role?: Role | undefined };   // role: of the agent's token
  device: { condition: DeviceCondition; message: string; note: string; fingerprint: Fingerprint | undefined; timer: Timer | undefined; device_key: string };
  agent_id: string;
  session: boolean;
  task: string;                       // the task in work, its id; empty when idle
  last_task: string;                  // that of the last result
  task_name: string;                  // of the task in work, else of the last one; empty where the server gave none
  model: string;                      // the name of the model that runs as a whole; empty when none does
  trials: number;
  outcomes: Record<string, number>;   // results by outcome
  best_us: Record<string, number>;    // per task
  recent: { number: number; task: string; task_name: string; outcome: string; message: string; latency_us: number; max_error: number }[];   // number: the how many-th of this page
  unacknowledged: number;
  trials_per_second: number;
}

export const recent_max = 40;
const picture_ms = 200;
const rate_window_ms = 10_000;
const blobs_bytes_max = 256 << 20;

export class Agent {
  readonly #parts: AgentParts;
  readonly #control: Control;
  readonly #supervisor: DeviceSupervisor;
  readonly #outbox: ResultOutbox;
  readonly #blobs: BlobCache;
  #session: Session | undefined;
  #grant: DeviceGrant | undefined;
  #agent_id = '';
  #offered = false;
  #visible = true;
  #trials = 0;
  #outcomes: Record<string, number> = {};
  #best_us: Record<string, number> = {};
  #recent: AgentPicture['recent'] = [];
  #finished_ms: number[] = [];
  #picture_due = false;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#outbox = new ResultOutbox(parts.scheduler);
    this.#blobs = new BlobCache((sha256, bytes) => parts.fetchBlob(sha256, bytes), blobs_bytes_max);
    this.#supervisor = new DeviceSupervisor(parts.spawnDevice, parts.scheduler, {
      onCondition: (condition, message) => this.#onCondition(condition, message),
      onResult: (result, task) => this.#onResult(result, task),
      onBatchDone: batch => this.#session?.sendBatchDone(batch),
      onTiming: active => this.#session?.sendTiming(active),
    }, { group_max: parts.group_max, choice: parts.choice, grace_ms: 2000, open_ms: 5000, slowdown_max: 4 }, parts.random);
    this.#control = new Control(parts.connectControl, parts.trackers, parts.scheduler, parts.identity, {
      offers: () => this.#offers(),
      problem: () => this.#supervisor.condition === 'unavailable' ? this.#supervisor.message : '',
      pulse: () => ({ visible: this.#visible, worker_alive: this.#supervisor.alive, busy_ms: this.#supervisor.busyMs() }),
      onState: () => this.#paint(),
      onWelcome: (resume, devices) => this.#onWelcome(resume, devices),
      onToken: token => parts.onToken(token),
      onOpenSession: open => this.#onOpenSession(open),
      onCloseSession: close => { if (close.lease_id === this.#session?.lease_id) this.#session.end(close.reason); },
      onDrain: () => this.#session?.end('the service stops'),
    }, parts.random);
  }

  // That the agent shows now.
  get token(): string {
    return this.#control.token;
  }

  // The device first: the hello carries its fingerprint.
  start(): void {
    this.#supervisor.start();
    this.#paint();
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    this.#supervisor.setVisible(visible);
  }

  #offers(): DeviceOffer[] {
    const { fingerprint, timer } = this.#supervisor, { launch_flags, physical_id } = this.#parts;
    if (fingerprint === undefined || timer === undefined) return [];
    return [{ local_id: localId(fingerprint), target: fingerprint.target, fingerprint, timer, ...(launch_flags === undefined ? {} : { launch_flags }), ...(physical_id === undefined ? {} : { physical_id }) }];
  }

  #onCondition(condition: DeviceCondition, message: string): void {
    const known = condition === 'ready' || condition === 'unavailable' || condition === 'stuck';
    if (this.#control.state === 'waiting' && !this.#offered && known) {
      this.#offered = true;
      this.#control.start();
    } else if (condition === 'ready' && this.#grant === undefined) {
      this.#control.greetAgain();   // the first device came only now
    }
    this.#sendDeviceState(condition, message);
    this.#paint();
  }

  #sendDeviceState(condition: DeviceCondition, message: string): void {
    const states: Record<DeviceCondition, DeviceStateKind> = {
      starting: 'recovering', ready: 'ready', recovering: 'recovering', stuck: 'lost', unavailable: 'lost',
    };
    if (this.#grant !== undefined) this.#control.sendDeviceState(this.#grant.device_id, states[condition], message);
  }

  #onWelcome(resume: Resume, devices: readonly DeviceGrant[]): void {
    this.#agent_id = resume.agent_id;
    const { fingerprint } = this.#supervisor;
    this.#grant = devices.find(device => fingerprint !== undefined && device.local_id === localId(fingerprint));
    this.#parts.onResume(resume);
    this.#sendDeviceState(this.#supervisor.condition, this.#supervisor.message);
    this.#paint();
  }

  #onOpenSession(open: OpenSession): void {
    if (this.#session?.lease_id === open.lease_id) return this.#session.reopen(open);
    this.#session?.end('another lease took the device');
    const session: Session = new Session(open, {
      connect: this.#parts.connectSession, scheduler: this.#parts.scheduler, supervisor: this.#supervisor, outbox: this.#outbox,
      random: this.#parts.random, fetchBlob: (sha256, bytes, fetch) => this.#blobs.get(sha256, bytes, fetch),
      onModel: () => this.#paint(),
      onEnd: () => {
        if (this.#session === session) this.#session = undefined;
        this.#paint();
      },
    });
    this.#session = session;
    this.#paint();
  }

  #onResult(result: Result, task: string): void {
    this.#outbox.add(result);
    this.#session?.flushResults();
    this.#trials++;
    this.#outcomes[result.outcome] = (this.#outcomes[result.outcome] ?? 0) + 1;
    if (result.outcome === 'ok') this.#best_us[task] = Math.min(this.#best_us[task] ?? Infinity, result.latency_us_median);
    this.#recent.unshift({
      number: this.#trials, task, task_name: this.#session?.nameOf(task) ?? '', outcome: result.outcome, message: result.message, latency_us: result.latency_us_median, max_error: result.max_error,
    });
    this.#recent.length = Math.min(this.#recent.length, recent_max);
    this.#finished_ms.push(this.#parts.scheduler.nowMs());
    this.#paint();
  }

  // At most one picture per picture_ms: the page must cost the device nothing.
  #paint(): void {
    if (this.#picture_due) return;
    this.#picture_due = true;
    this.#parts.scheduler.after(picture_ms, () => {
      this.#picture_due = false;
      this.#parts.onPicture(this.#picture());
    });
  }

  #picture(): AgentPicture {
    const { condition, message, note, fingerprint, timer, current } = this.#supervisor;
    const [last] = this.#recent, task = current?.task ?? '';
    const since = this.#parts.scheduler.nowMs() - rate_window_ms;
    this.#finished_ms = this.#finished_ms.filter(at => at > since);
    return {
      control: { state: this.#control.state, message: this.#control.message, role: this.#control.role },
      device: { condition, message, note, fingerprint, timer, device_key: this.#grant?.device_key ?? '' },
      agent_id: this.#agent_id, session: this.#session !== undefined, trials: this.#trials,
      task, last_task: last?.task ?? '', task_name: (task === '' ? last?.task_name : this.#session?.nameOf(task)) ?? '', model: this.#session?.model ?? '',
      outcomes: { ...this.#outcomes }, best_us: { ...this.#best_us }, recent: [...this.#recent], unacknowledged: this.#outbox.size,
      trials_per_second: this.#finished_ms.length / (rate_window_ms / 1000),
    };
  }
}

// A page brings one device.
function localId({ target }: Fingerprint): string {
  return `${target}-0`;
}
