// A tracker and compile server for tests: real HTTP, real WebSocket, real frames, nothing behind them.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';
import {
  controlFromAgent, decodeFrame, encodeFrame, sessionFromAgent,
  type CandidateResult, type ControlFromAgent, type ControlFromTracker, type Execute, type Executed, type Expected, type Heartbeat, type Hello, type Measure, type PrepareTask,
  type SessionFromAgent, type SessionFromServer, type TaskReady,
} from '../src/generated/protocol.ts';

export const token = '00112233445566778899aabbccddeeff';
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.map': 'application/json', '.svg': 'image/svg+xml' };

// An event that tests await: `next` resolves with the first message, from now or from before, that fits.
class Mailbox<T> {
  readonly all: T[] = [];
  #watchers: (() => void)[] = [];
  push(message: T): void {
    this.all.push(message);
    for (const watcher of this.#watchers.splice(0)) watcher();
  }
  async next<S extends T>(fits: (message: T) => message is S, timeout_ms = 30_000): Promise<S> {
    const deadline = Date.now() + timeout_ms;
    for (let seen = 0; ; ) {
      for (; seen < this.all.length; seen++) {
        const message = this.all[seen];
        if (message !== undefined && fits(message)) return message;
      }
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no such message within ${timeout_ms} ms; got ${this.all.map(m => JSON.stringify(m, (_, v: unknown) => typeof v === 'bigint' ? String(v) : v).slice(0, 200)).join('\n')}`)), deadline - Date.now());
        this.#watchers.push(() => { clearTimeout(timer); resolve(); });
      });
    }
  }
}

// An agent's control connection: begun by its hello, ended by its socket.
export interface AgentEvent { what: 'came' | 'left'; agent_id: string }

const replaced = 4001;             // base/net/channel.h
const attempts_max = 3;            // as the service's own
const batches_apart = 1_000_000;   // a batch that is tried again has a number of its own

export class FakeService {
  readonly control = new Mailbox<ControlFromAgent>();
  readonly agents = new Mailbox<AgentEvent>();
  readonly session = new Mailbox<SessionFromAgent>();
  readonly blobs = new Map<string, Buffer>();
  readonly payloads = new Map<number, Uint8Array>();   // of `executed` frames, by reply_to
  readonly codes = new Set<string>();   // of enrolments, each good once
  acknowledge = true;
  control_socket: WebSocket | undefined;
  session_socket: WebSocket | undefined;
  #leases = 0;
  #made = 0;                                           // agents
  readonly #lets_in = new Set([token]);
  readonly #connected = new Map<string, WebSocket>();  // by agent_id

  private constructor(readonly server: Server, readonly origin: string) {}

  // isolated: the page may have shared memory, as under the real service.
  static async start(dist: string, { isolated = true } = {}): Promise<FakeService> {
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (isolated) {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      }
      response.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
      response.setHeader('Content-Security-Policy', "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' ws: wss:");
      if (url.pathname.startsWith('/blob/')) {
        const blob = service.blobs.get(url.pathname.slice(6));
        response.statusCode = !service.#lets_in.has(String(request.headers['x-hone-token'])) ? 401 : blob === undefined ? 404 : 200;
        response.end(response.statusCode === 200 ? blob : '');
        return;
      }
      const file = path.join(dist, url.pathname.replace(/^\/agent\//, '').replace(/^$/, 'index.html'));
      if (!file.startsWith(dist) || !existsSync(file)) {
        response.statusCode = 404;
        response.end();
        return;
      }
      response.setHeader('Content-Type', types[path.extname(file)] ?? 'application/octet-stream');
      createReadStream(file).pipe(response);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const service = new FakeService(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'hone.v1' });
    sockets.on('connection', (socket, request) => {
      socket.binaryType = 'nodebuffer';
      if (request.url === '/ws/agent') service.#onControl(socket);
      else service.#onSession(socket);
    });
    return service;
  }

  get page(): string {
    return `${this.origin}/agent/#token=${token}&launch=test&name=test%20agent`;
  }

  pageOf(target: string): string {
    return `${this.page}&target=${target}`;
  }

  toAgent(message: ControlFromTracker): void {
    this.control_socket?.send(encodeFrame(message));
  }

  toSession(message: SessionFromServer, payload?: Uint8Array): void {
    this.session_socket?.send(encodeFrame(message, payload));
  }

  // The reference of a task's one output.
  expected(values: Float32Array | Int32Array): Expected {
    const magnitudes = Array.from(values, Math.abs).filter(x => x > 0 && Number.isFinite(x)).sort((a, b) => a - b);
    const largest = magnitudes.at(-1) ?? 0, median = magnitudes[Math.floor(magnitudes.length / 2)] ?? 0;
    return { outputs: [{ ...this.addBlob(Buffer.from(values.buffer)), largest, median }] };
  }

  addBlob(bytes: Buffer): { sha256: string; bytes: number } {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.blobs.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  }

  hello(): Promise<Hello> {
    return this.control.next((m): m is Hello => m.kind === 'hello' && m.devices.length > 0);
  }

  async openSession(): Promise<void> {
    const lease = ++this.#leases;
    this.toAgent({ kind: 'open_session', lease_id: `lease-${lease}`, fence: lease, device_id: 'device-1', session_path: '/ws/session', session_token: `s${lease}` });
    await this.session.next((m): m is SessionFromAgent => m.kind === 'session_hello' && m.lease_id === `lease-${lease}`);
  }

  async prepare(task: PrepareTask): Promise<TaskReady> {
    this.toSession(task);
    return this.session.next((m): m is TaskReady => m.kind === 'task_ready' && m.reply_to === task.id);
  }

  async execute(frame: Execute): Promise<{ executed: Executed; outputs: Float32Array }> {
    this.toSession(frame);
    const executed = await this.session.next((m): m is Executed => m.kind === 'executed' && m.reply_to === frame.id);
    const payload = this.payloads.get(frame.id) ?? new Uint8Array(0);
    return { executed, outputs: new Float32Array(new Uint8Array(payload).buffer) };
  }

  // A batch of which something was unstable, because the machine was busy, is tried again, as a service tries its candidates again: of each the first
  // result that was stable counts.
  async measure(batch: Measure, payload?: Uint8Array, timeout_ms = 60_000): Promise<CandidateResult[]> {
    this.toSession(batch, payload);
    await this.session.next((m): m is SessionFromAgent => m.kind === 'batch_done' && m.batch === batch.batch, timeout_ms);
    const results = batch.candidates.map(c => this.result(c.trial, c.attempt));
    if (!results.some(r => r.outcome === 'unstable') || batch.candidates.some(c => c.attempt + 1 === attempts_max)) return results;
    const candidates = batch.candidates.map(c => ({ ...c, attempt: c.attempt + 1 }));
    const later = await this.measure({ ...batch, batch: batch.batch + batches_apart, candidates }, payload, timeout_ms);
    return results.map((r, i) => (r.outcome === 'unstable' ? later[i] : r) ?? r);
  }

  result(trial: number, attempt: number): CandidateResult {
    const found = this.session.all.find(m => m.kind === 'result' && m.trial === trial && m.attempt === attempt);
    if (found?.kind !== 'result') throw new Error(`no result of trial ${trial}`);
    return found;
  }

  heartbeat(fits: (beat: Heartbeat) => boolean, timeout_ms = 30_000): Promise<Heartbeat> {
    return this.control.next((m): m is Heartbeat => m.kind === 'heartbeat' && fits(m), timeout_ms);
  }

  #onControl(socket: WebSocket): void {
    this.control_socket = socket;
    const answer = (message: ControlFromTracker): void => socket.send(encodeFrame(message));   // of several tabs each its own
    socket.on('message', data => {
      const decoded = decodeFrame<ControlFromAgent>(data as Buffer, controlFromAgent);
      if (!decoded.ok) throw new Error(decoded.message);
      const message = decoded.message;
      if (message.kind === 'hello') {
        const own = this.#lets_in.has(message.token) ? undefined : this.#exchange(message.enroll_code);
        if (!this.#lets_in.has(own ?? message.token)) return answer({ kind: 'error', reply_to: message.id, code: 'unauthorized', message: 'the token is wrong' });
        const devices = message.devices.map(d => ({ local_id: d.local_id, device_id: 'device-1', device_key: 'f'.repeat(32) }));
        const { agent_id, resume_secret } = this.#enrol(message, socket);
        answer({ kind: 'welcome', reply_to: message.id, agent_id, resume_secret, devices, heartbeat_ms: 500, heartbeat_timeout_ms: 3000, ...(own === undefined ? {} : { token: own, role: 'agent' }) });
      }
      if (message.kind === 'heartbeat') answer({ kind: 'heartbeat_ack', seq: message.seq });
      this.control.push(message);
    });
  }

  // A token for a code that was not used.
  #exchange(code: string | undefined): string | undefined {
    if (code === undefined || !this.codes.delete(code)) return undefined;
    const own = createHash('sha256').update(code).digest('hex').slice(0, 32);
    this.#lets_in.add(own);
    return own;
  }

  // Known by its secret, else new; who is connected as the same one is replaced, as by the real tracker.
  #enrol({ resume_agent_id, resume_secret }: Hello, socket: WebSocket): { agent_id: string; resume_secret: string } {
    const known = resume_agent_id !== undefined && resume_secret === resume_agent_id.replace('agent', 'resume');
    const agent_id = known ? resume_agent_id : `agent-${++this.#made}`;
    this.#connected.get(agent_id)?.close(replaced, 'the same agent connected again');
    this.#connected.set(agent_id, socket);
    this.agents.push({ what: 'came', agent_id });
    socket.once('close', () => {
      if (this.#connected.get(agent_id) !== socket) return;
      this.#connected.delete(agent_id);
      this.agents.push({ what: 'left', agent_id });
    });
    return { agent_id, resume_secret: agent_id.replace('agent', 'resume') };
  }

  #onSession(socket: WebSocket): void {
    this.session_socket = socket;
    socket.on('message', data => {
      const decoded = decodeFrame<SessionFromAgent>(data as Buffer, sessionFromAgent);
      if (!decoded.ok) throw new Error(decoded.message);
      const message = decoded.message;
      if (message.kind === 'session_hello') this.toSession({ kind: 'session_welcome', reply_to: message.id, session_id: 'session-1', credits: 16 });
      if (message.kind === 'executed') this.payloads.set(message.reply_to, decoded.payload);
      if (message.kind === 'result' && this.acknowledge) this.toSession({ kind: 'result_ack', trial: message.trial, attempt: message.attempt });
      this.session.push(message);
    });
  }

  close(): void {
    this.control_socket?.terminate();
    this.session_socket?.terminate();
    this.server.closeAllConnections();
    this.server.close();
  }
}
