// Session: the agent's connection to the compile server for the time of one lease. It prepares tasks, hands candidates to the device's
// supervisor and sends results until they are acknowledged. When the socket is lost, the server counts what was under way as gone and
// gives it out anew, so the work is dropped here too; results that were ready before go out on the next connection. The socket is opened
// again until the lease is closed or the token refused: it lets one socket in, so after that the tracker's next open_session is awaited.
import { Backoff } from './backoff.ts';
import { BlobPieces } from './blob_pieces.ts';
import type { FetchBlob } from './blob_cache.ts';
import type { Channel, Connect } from './channel.ts';
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import { fetchPlan } from './fetch_plan.ts';
import type { Execution, InputSet, Reference } from '../device/backend.ts';
import { measureModules } from './measure_modules.ts';
import { resend_ms, type ResultOutbox } from './result_outbox.ts';
import type { Cancel, Scheduler } from './scheduler.ts';
import type { DeviceSupervisor } from './supervisor.ts';
import type { Execute, Measure, OpenSession, PrepareTask, SessionFromAgent, SessionFromServer } from '../generated/protocol.ts';

const dial_ms_max = 5_000;   // of one way to the server, where there is another one

export type SessionState = 'connecting' | 'greeting' | 'open' | 'waiting' | 'ended';

export interface SessionParts {
  connect: Connect<SessionFromAgent, SessionFromServer>;
  scheduler: Scheduler;
  supervisor: DeviceSupervisor;
  outbox: ResultOutbox;
  random: () => number;
  fetchBlob(sha256: string, bytes: number, fetch?: FetchBlob): Promise<Attempt<ArrayBuffer>>;   // fetch: from where, if not from the agent's own origin
  onModel(): void;               // `model` changed
  onEnd(reason: string): void;   // the session is over and nobody reconnects it
}

export class Session {
  state: SessionState = 'connecting';
  model = '';                       // the name of the model that runs; empty when none does
  readonly #names = new Map<string, string>();   // of tasks, by id
  #open: OpenSession;
  readonly #parts: SessionParts;
  readonly #backoff: Backoff;
  #channel: Channel<SessionFromAgent> | undefined;
  #retry: Cancel | undefined;
  #resend: Cancel | undefined;
  #relayed = false;   // it is dialled through the tracker
  #pieces: BlobPieces | undefined;   // where the server sends blobs on the session itself

  constructor(open: OpenSession, parts: SessionParts) {
    this.#open = open;
    this.#parts = parts;
    this.#backoff = new Backoff({ first_ms: 200, cap_ms: 3000, random: parts.random });
    this.#dial();
  }

  get lease_id(): string {
    return this.#open.lease_id;
  }

  // For people. Empty where the server gave none.
  nameOf(task: string): string {
    return this.#names.get(task) ?? '';
  }

  // The tracker sent a fresh token for the same lease.
  reopen(open: OpenSession): void {
    this.#open = open;
    this.#hangUp();
    if (this.state === 'open') this.#parts.supervisor.release();
    this.#dial();
  }

  // The lease ended: drops the work and the socket.
  end(reason: string): void {
    if (this.state === 'ended') return;
    this.state = 'ended';
    this.#hangUp();
    this.#parts.supervisor.release();
    this.#parts.onEnd(reason);
  }

  flushResults(): void {
    if (this.state === 'open') this.#parts.outbox.flush(result => this.#channel?.send(result));
  }

  sendBatchDone(batch: number): void {
    if (this.state === 'open') this.#channel?.send({ kind: 'batch_done', batch });
  }

  sendTiming(active: boolean): void {
    if (this.state === 'open') this.#channel?.send({ kind: 'timing', active });
  }

  #dial(): void {
    this.state = 'connecting';
    const { session_path, relay_path } = this.#open;
    if (relay_path !== undefined) this.#retry = this.#parts.scheduler.after(dial_ms_max, () => this.#onClose('the server did not answer'));
    this.#channel = this.#parts.connect(this.#relayed && relay_path !== undefined ? relay_path : session_path, {
      onOpen: () => this.#greet(),
      onMessage: (message, payload) => this.#onMessage(message, payload),
      onClose: reason => this.#onClose(reason),
    });
  }

  #greet(): void {
    const { session_token, device_id, lease_id } = this.#open;
    this.state = 'greeting';
    this.#retry?.();
    this.#channel?.send({ kind: 'session_hello', id: 1, session_token, device_id, lease_id });
  }

  #onMessage(message: SessionFromServer, payload: Uint8Array = new Uint8Array(0)): void {
    switch (message.kind) {
      case 'session_welcome': return this.#onWelcome(message.blobs === true);
      case 'blob': return this.#pieces?.take(message.reply_to, success(payload));
      case 'prepare_task':
        void this.#prepare(message);
        return;
      case 'measure': return this.#measure(message, payload);
      case 'execute':
        void this.#execute(message);
        return;
      case 'result_ack': return this.#parts.outbox.acknowledge(message.trial, message.attempt);
      case 'cancel': return this.#parts.supervisor.cancel(message.batch);
      case 'release': return this.end('the server released the device');
      case 'error':
        if (message.reply_to !== undefined && this.#pieces?.asked(message.reply_to) === true) return this.#pieces.take(message.reply_to, failure(message.code, message.message));
        // Refused for good: wait for the tracker's next word on this lease.
        if (this.state === 'greeting') this.end(message.message);
        return;
      default: message satisfies never;
    }
  }

  #onWelcome(carries_blobs: boolean): void {
    this.state = 'open';
    const channel = this.#channel;
    this.#pieces = carries_blobs ? new BlobPieces(ask => channel?.send(ask)) : undefined;
    this.#backoff.reset();
    this.#parts.outbox.resetSent();
    this.flushResults();
    this.#watchOutbox();
  }

  #watchOutbox(): void {
    this.#resend?.();
    this.#resend = this.#parts.scheduler.after(resend_ms, () => {
      this.flushResults();
      this.#watchOutbox();
    });
  }

  async #prepare(request: PrepareTask): Promise<void> {
    this.#names.set(request.task, request.name ?? '');
    const outcome = await this.#load(request);
    const error = outcome.ok ? {} : { error: { code: outcome.outcome, message: outcome.message } };
    this.#channel?.send({ kind: 'task_ready', reply_to: request.id, ...error });
  }

  async #load(request: PrepareTask): Promise<Attempt<void>> {
    const { task, tolerance } = request, [first, ...others] = await Promise.all([request, ...request.more_inputs ?? []].map(inputs => this.#inputSet(inputs)));
    if (!first!.ok) return first!;
    const more_inputs: InputSet[] = [];
    for (const other of others) {
      if (!other.ok) return other;
      more_inputs.push(other.value);
    }
    if (this.state === 'ended') return failure('cancelled', 'the session ended');
    const prepared = await this.#parts.supervisor.prepare({ task, ...first!.value, tolerance, more_inputs });
    return prepared.ok ? success(undefined) : prepared;
  }

  async #inputSet({ buffers, expected: { outputs } }: Pick<PrepareTask, 'buffers' | 'expected'>): Promise<Attempt<InputSet>> {
    const expected: Reference[] = [];
    for (const { sha256, bytes, largest, median } of outputs) {
      const blob = await this.#fetchBlob(sha256, bytes);
      if (!blob.ok) return blob;
      expected.push({ content: blob.value, largest, median });
    }
    return success({ buffers, expected });
  }

  #fetchBlob(sha256: string, bytes: number): Promise<Attempt<ArrayBuffer>> {
    const pieces = this.#pieces;
    return this.#parts.fetchBlob(sha256, bytes, pieces && ((sha, size) => pieces.fetch(sha, size)));
  }

  #measure(batch: Measure, payload: Uint8Array): void {
    const modules = measureModules(batch, payload);
    if (modules.ok) return this.#parts.supervisor.measure(batch, modules.value);
    // Which bytes belong to which candidate nobody knows: as with any malformed frame the connection ends, and the server begins anew.
    this.#channel?.send({ kind: 'error', code: modules.outcome, message: modules.message });
    this.#onClose(modules.message);
  }

  // The answer goes out on this connection or nowhere: after a break the server asks anew.
  async #execute(request: Execute): Promise<void> {
    const channel = this.#channel;
    this.#show(request.model ?? 'unnamed');
    const plan = await fetchPlan(request, (sha256, bytes) => this.#fetchBlob(sha256, bytes));
    if (this.state !== 'open' || channel !== this.#channel) return;
    const done = plan.ok ? await this.#parts.supervisor.execute(plan.value) : plan;
    if (channel !== this.#channel) return;
    this.#show('');
    const nothing: Omit<Execution, 'outputs'> = { create_ms: 0, first_ms: 0, run_ms: [], kernel_ms: [] };
    const { create_ms, first_ms, run_ms, kernel_ms, launch_us, quads } = done.ok ? done.value : nothing;
    const error = done.ok ? {} : { error: { code: done.outcome, message: done.message } };
    const clock_resolution_ns = this.#parts.supervisor.timer?.quantum_ns ?? 0;
    channel?.send({ kind: 'executed', reply_to: request.id, ...error, create_ms, first_ms, run_ms, kernel_ms, clock_resolution_ns, ...(launch_us && { launch_us }), ...quads },
      done.ok ? new Uint8Array(done.value.outputs) : undefined);
  }

  #show(model: string): void {
    this.model = model;
    this.#parts.onModel();
  }

  #onClose(_reason: string): void {
    if (this.state === 'ended') return;
    this.#hangUp();
    if (this.state === 'open') this.#parts.supervisor.release();
    // Where one way does not open, the other one may.
    if (this.state === 'connecting') this.#relayed = !this.#relayed;
    this.state = 'waiting';
    this.#retry = this.#parts.scheduler.after(this.#backoff.nextMs(), () => this.#dial());
  }

  #hangUp(): void {
    this.#retry?.();
    this.#resend?.();
    this.#channel?.close();
    this.#channel = undefined;
    this.#pieces?.end();
    this.#pieces = undefined;
    this.#show('');
  }
}
