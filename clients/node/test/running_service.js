// The real `hone up` in a folder of its own, and a native agent. HONE_BINARY names the program, HONE_AGENT_DIR the agent's files.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { Client } from '../index.js';

const WAIT_MS = 30_000;

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), WAIT_MS);
  await ended;
  clearTimeout(timer);
}

export class RunningService {
  #folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone_client_'));
  #children = [];
  #agentUrl;

  static async start(...options) {
    const service = new RunningService();
    if (options.includes('--tls')) execFileSync(process.env.HONE_BINARY, ['tls', 'init'], { env: service.environment, stdio: 'ignore', timeout: WAIT_MS });
    const up = service.#start('up', '--port', '0', ...options), lines = readline.createInterface(up.stdout);
    [service.#agentUrl] = await Promise.race([once(lines, 'line'), once(up, 'exit').then(() => { throw new Error(fs.readFileSync(path.join(service.#folder, 'up.log'), 'utf8')); })]);
    [service.url, service.token] = service.#agentUrl.split('/agent/#token=');
    return service;
  }

  get folder() {
    return this.#folder;
  }

  get environment() {
    const folder = this.#folder;
    return { ...process.env, HONE_CACHE_DIR: `${folder}/cache`, HONE_TLS_DIR: `${folder}/tls`, XDG_RUNTIME_DIR: folder, XDG_STATE_HOME: `${folder}/state` };
  }

  client(token = this.token) {
    return new Client(this.url, { token });
  }

  // Returns when its device is there.
  async startAgent() {
    const events = await this.client().events();
    this.#start('agent', '--tracker', this.#agentUrl, '--browser', 'native');
    for await (const event of events) if (event.name === 'device_changed' && event.data.event.kind === 'connected') return;
  }

  #start(verb, ...options) {
    const log = fs.openSync(path.join(this.#folder, `${verb}.log`), 'w');
    const child = spawn(process.env.HONE_BINARY, [verb, ...options], { cwd: this.#folder, env: this.environment, stdio: ['ignore', 'pipe', log] });
    fs.closeSync(log);
    this.#children.unshift(child);
    return child;
  }

  async close() {
    for (const child of this.#children) await end(child);
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}
