// Starts a headless Chromium with WebGPU on software, and speaks the little of its DevTools protocol that the tests need.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';

const common_flags: readonly string[] = [
  '--headless=new', '--window-size=1100,900', '--no-first-run', '--disable-sync', '--disable-background-networking', '--disable-component-update', '--disable-quic',
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows',
  '--host-resolver-rules=MAP insecure.test 127.0.0.1',
];
// The same as launch/browser_flags.cc without a GPU.
const webgpu_flags: readonly string[] = [
  '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--enable-dawn-features=allow_unsafe_apis',
];

interface Reply { id?: number; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown>; error?: { message: string }; sessionId?: string }

export interface Tab { target: string; session: string }

export class Chromium {
  readonly console_lines: string[] = [];
  #next_id = 1;
  #waiting = new Map<number, { resolve: (r: Record<string, unknown>) => void; reject: (e: Error) => void }>();
  tab: Tab = { target: '', session: '' };   // the one that all but the browser's own commands are for; the last that was opened
  #on_load: () => void = () => {};

  private constructor(readonly process: ChildProcess, private readonly profile: string, private readonly socket: WebSocket) {
    socket.on('message', data => this.#onMessage(JSON.parse(String(data)) as Reply));
  }

  static async launch({ webgpu = true, extra = [] as readonly string[] } = {}): Promise<Chromium> {
    const profile = mkdtempSync(path.join(tmpdir(), 'hone-chromium-'));
    const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const flags = [...common_flags, ...(webgpu ? webgpu_flags : ['--disable-gpu']), ...root, ...extra];
    const child = spawn('chromium', [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    const url = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stderr?.on('data', chunk => {
        text += String(chunk);
        const found = /DevTools listening on (ws:\S+)/.exec(text);
        if (found?.[1] !== undefined) resolve(found[1]);
      });
      child.once('exit', code => reject(new Error(`chromium ended (${code}): ${text}`)));
    });
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return new Chromium(child, profile, socket);
  }

  // In a fresh tab; resolves once the document is there.
  async open(url: string): Promise<void> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    await this.#attach(String(targetId));
    await this.#load(() => this.send('Page.navigate', { url }, true));
  }

  reload(): Promise<void> {
    return this.#load(() => this.send('Page.reload', {}, true));
  }

  // A second tab of the same URL with a copy of the first one's sessionStorage, as a browser's "duplicate tab" makes it.
  async duplicate(): Promise<void> {
    const known = await this.#pages();
    await this.send('Runtime.evaluate', { expression: 'void open(location.href)', userGesture: true }, true);
    for (;;) {
      const target = (await this.#pages()).find(page => !known.includes(page));
      if (target !== undefined) return this.#attach(target);
    }
  }

  async closePage(): Promise<void> {
    await this.send('Page.close', {}, true);
  }

  // As its close button does.
  async closeTab(): Promise<void> {
    await this.send('Target.closeTarget', { targetId: this.tab.target });
  }

  async resize(width: number, scheme: 'light' | 'dark' = 'light'): Promise<void> {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: 1, mobile: width < 800 }, true);
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] }, true);
  }

  async #pages(): Promise<string[]> {
    const { targetInfos } = await this.send('Target.getTargets', {});
    return (targetInfos as { targetId: string; type: string }[]).filter(info => info.type === 'page').map(info => info.targetId);
  }

  async #attach(target: string): Promise<void> {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId: target, flatten: true });
    this.tab = { target, session: String(sessionId) };
    await this.send('Runtime.enable', {}, true);
    await this.send('Log.enable', {}, true);
    await this.send('Page.enable', {}, true);
  }

  async #load(begin: () => Promise<unknown>): Promise<void> {
    const loaded = new Promise<void>(resolve => { this.#on_load = resolve; });
    await begin();
    await loaded;
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' }, true);
    return Buffer.from(String(data), 'base64');
  }

  async evaluate(expression: string): Promise<unknown> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }, true);
    return (result as { value?: unknown }).value;
  }

  // Resolves when the page's text fits; rejects with the text after a minute.
  async waitForText(expected: RegExp): Promise<void> {
    const text = await this.evaluate(`new Promise(done => {
      const fits = () => ${String(expected)}.test(document.body.innerText);
      const end = () => { observer.disconnect(); done(document.body.innerText); };
      const observer = new MutationObserver(() => { if (fits()) end(); });
      observer.observe(document, { subtree: true, childList: true, characterData: true });
      setTimeout(end, 60_000);
      if (fits()) end();
    })`);
    if (!expected.test(String(text))) throw new Error(`the page shows: ${String(text)}`);
  }

  async killGpuProcess(): Promise<void> {
    const { processInfo } = await this.send('SystemInfo.getProcessInfo', {});
    const gpu = (processInfo as { type: string; id: number }[]).find(info => info.type === 'GPU');
    if (gpu === undefined) throw new Error('Chromium has no GPU process');
    process.kill(gpu.id, 'SIGKILL');
  }

  send(method: string, params: Record<string, unknown>, in_page = false): Promise<Record<string, unknown>> {
    const id = this.#next_id++;
    this.socket.send(JSON.stringify({ id, method, params, ...(in_page ? { sessionId: this.tab.session } : {}) }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #onMessage(message: Reply): void {
    if (message.id !== undefined) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.reject(new Error(message.error.message));
      else waiting?.resolve(message.result ?? {});
    } else if (message.method === 'Page.loadEventFired') {
      this.#on_load();
    } else if (message.method === 'Runtime.consoleAPICalled' || message.method === 'Log.entryAdded' || message.method === 'Runtime.exceptionThrown') {
      this.console_lines.push(JSON.stringify(message.params).slice(0, 800));
    }
  }

  async close(): Promise<void> {
    const gone = new Promise(resolve => this.process.once('exit', resolve));
    if (this.process.pid !== undefined && this.process.exitCode === null) process.kill(-this.process.pid, 'SIGKILL');
    await gone;
    this.socket.terminate();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
