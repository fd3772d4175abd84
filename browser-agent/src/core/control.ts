// Control: the agent's connection to the tracker. It says hello with the devices, keeps the heartbeat and comes back after every loss.
// A tab that was duplicated has a twin with the same secret: who is replaced while it lives is another agent from then on.
// States: waiting → connecting → greeting → connected → (any loss) waiting.
import { Backoff } from './backoff.ts';
import type { Channel, Connect } from './channel.ts';
import type { Cancel, Scheduler } from './scheduler.ts';
import type { Trackers } from './trackers.ts';
import type {
  CloseSession, ControlFromAgent, ControlFromTracker, DeviceGrant, DeviceOffer, DeviceStateKind, OpenSession, Role, Welcome,
} from '../generated/protocol.ts';
import { protocolVersion } from '../generated/protocol.ts';

export type ControlState = 'waiting' | 'connecting' | 'greeting' | 'connected' | 'refused';

// What lets an agent come back as itself. The id is public, the secret is not.
export interface Resume {
  agent_id: string;
  secret: string;
}

export interface ControlIdentity {
  token: string;               // empty: there is none yet
  code: string | undefined;    // of an enrolment: the service gives a token of the agent's own for it, where the token is not good
  agent_name: string;
  launch_id: string | undefined;
  resume: Resume | undefined;
}

export interface Pulse {
  visible: boolean;
  worker_alive: boolean;
  busy_ms: number;
}

export interface ControlEvents {
  offers(): DeviceOffer[];                  // asked at each hello
  problem(): string;                        // why there are no offers and never will be; else empty
  pulse(): Pulse;                           // asked at each heartbeat
  onState(state: ControlState, message: string): void;
  onWelcome(resume: Resume, devices: readonly DeviceGrant[]): void;
  onToken(token: string): void;             // the agent's own, for its code: before the onWelcome
  onOpenSession(open: OpenSession): void;
  onCloseSession(close: CloseSession): void;
  onDrain(): void;
}

const greeting_ms_max = 10_000;
const replaced = 4001;   // base/net/channel.h: another connection showed this agent's secret
const final_refusals: readonly string[] = ['unauthorized', 'version_mismatch'];

export class Control {
  state: ControlState = 'waiting';
  message = '';
  token: string;
  role: Role | undefined;   // of the token, once the tracker has said it
  readonly #connect: Connect<ControlFromAgent, ControlFromTracker>;
  readonly #trackers: Trackers;
  readonly #scheduler: Scheduler;
  readonly #identity: ControlIdentity;
  readonly #events: ControlEvents;
  readonly #backoff: Backoff;
  #channel: Channel<ControlFromAgent> | undefined;
  #timer: Cancel | undefined;
  #resume: Resume | undefined;
  #code: string | undefined;
  #heartbeat_ms = 2000;
  #timeout_ms = 10_000;
  #seq = 0;
  #acknowledged_ms = 0;
  #refusal = '';

  constructor(connect: Connect<ControlFromAgent, ControlFromTracker>, trackers: Trackers, scheduler: Scheduler, identity: ControlIdentity,
              events: ControlEvents, random: () => number) {
    this.#connect = connect;
    this.#trackers = trackers;
    this.#scheduler = scheduler;
    this.#identity = identity;
    this.#events = events;
    this.#resume = identity.resume;
    this.token = identity.token;
    this.#code = identity.code;
    this.#backoff = new Backoff({ first_ms: 300, cap_ms: 5000, random });
  }

  start(): void {
    this.#become('connecting', '');
    this.#channel = this.#connect('/ws/agent', {
      onOpen: () => this.#greet(),
      onMessage: message => this.#onMessage(message),
      onClose: (reason, code) => {
        if (code === replaced) this.#resume = undefined;
        this.#onClose(reason);
      },
    });
  }

  sendDeviceState(device_id: string, state: DeviceStateKind, message: string): void {
    if (this.state === 'connected') this.#channel?.send({ kind: 'device_state', device_id, state, message });
  }

  // The offers changed: the tracker learns of devices by hello only.
  greetAgain(): void {
    if (this.state !== 'connected' && this.state !== 'greeting') return;
    this.#channel?.close();
    this.#channel = undefined;
    this.#timer?.();
    this.start();
  }

  #greet(): void {
    const { agent_name, launch_id } = this.#identity, devices = this.#events.offers();
    this.#become('greeting', '');
    this.#channel?.send({
      kind: 'hello', id: 1, token: this.token, version: protocolVersion, agent_name, devices,
      ...(devices.length > 0 ? {} : { problem: this.#events.problem() }),
      ...(this.#code === undefined ? {} : { enroll_code: this.#code }),
      ...(launch_id === undefined ? {} : { launch_id }),
      ...(this.#resume === undefined ? {} : { resume_agent_id: this.#resume.agent_id, resume_secret: this.#resume.secret }),
    });
    this.#after(greeting_ms_max, () => this.#drop('the tracker did not answer the hello'));
  }

  #onMessage(message: ControlFromTracker): void {
    switch (message.kind) {
      case 'welcome': return this.#onWelcome(message);
      case 'heartbeat_ack':
        this.#acknowledged_ms = this.#scheduler.nowMs();
        if (message.trackers !== undefined) this.#trackers.know(message.trackers);
        return;
      case 'open_session': return this.#events.onOpenSession(message);
      case 'close_session': return this.#events.onCloseSession(message);
      case 'drain': return this.#events.onDrain();
      case 'error':
        if (final_refusals.includes(message.code)) this.#refusal = message.message;
        else this.#drop(message.message);
        if (message.tracker !== undefined) this.#trackers.goTo(message.tracker);
        return;
      default: message satisfies never;
    }
  }

  #onWelcome(welcome: Welcome): void {
    const resume = { agent_id: welcome.agent_id, secret: welcome.resume_secret ?? this.#resume?.secret ?? '' };
    this.#resume = resume;
    this.role = welcome.role;
    if (welcome.trackers !== undefined) this.#trackers.know(welcome.trackers);
    if (welcome.token !== undefined) {
      this.token = welcome.token;
      this.#events.onToken(welcome.token);
    }
    this.#code = undefined;   // it is used up, or was not needed
    this.#heartbeat_ms = welcome.heartbeat_ms;
    this.#timeout_ms = welcome.heartbeat_timeout_ms;
    this.#acknowledged_ms = this.#scheduler.nowMs();
    this.#backoff.reset();
    this.#become('connected', '');
    this.#events.onWelcome(resume, welcome.devices);
    this.#beat();
  }

  #beat(): void {
    if (this.#scheduler.nowMs() - this.#acknowledged_ms > this.#timeout_ms) {
      return this.#drop('the tracker stopped answering heartbeats');
    }
    this.#channel?.send({ kind: 'heartbeat', seq: this.#seq++, ...this.#events.pulse() });
    this.#after(this.#heartbeat_ms, () => this.#beat());
  }

  #drop(reason: string): void {
    this.#channel?.close();
    this.#onClose(reason);
  }

  #onClose(reason: string): void {
    this.#channel = undefined;
    this.#timer?.();
    // A wrong token does not get right by asking again: a new page with the new URL is needed.
    if (this.#refusal !== '') return this.#become('refused', this.#refusal);
    this.#trackers.failed();
    this.#become('waiting', reason);
    this.#after(this.#backoff.nextMs(), () => this.start());
  }

  #after(delay_ms: number, run: () => void): void {
    this.#timer?.();
    this.#timer = this.#scheduler.after(delay_ms, run);
  }

  #become(state: ControlState, message: string): void {
    this.state = state;
    this.message = message;
    this.#events.onState(state, message);
  }
}
