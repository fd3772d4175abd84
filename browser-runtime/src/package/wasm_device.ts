// A package on WebAssembly: in a worker of its own, so that the page is never blocked.
import type { Fingerprint } from '../device/fingerprint.ts';
import { describeWasm, hasThreads } from '../device/wasm/features.ts';
import { bytesOf, type PlanSpec, type Upload } from '../plan/plan.ts';
import type { Device, Opened, Runner } from './device.ts';
import type { FromWorker, Request, ToWorker } from './wasm_messages.ts';

const threads_max = 32;
const memory_bytes_max = 2 ** 31;

type Answer = Extract<FromWorker, { ok: true }>;

export async function openWasm(): Promise<Opened> {
  if (typeof WebAssembly === 'undefined') return { ok: false, reason: 'This browser has no WebAssembly.' };
  const threads = hasThreads() ? Math.max(1, Math.min(threads_max, navigator.hardwareConcurrency || 1)) : 1;
  const fingerprint = await describeWasm({ threads, memory_bytes_max, without: [] });
  return { ok: true, device: new WasmDevice(fingerprint, threads) };
}

class WasmDevice implements Device {
  readonly notes: string[] = [];
  readonly #runners: WasmRunner[] = [];

  constructor(readonly fingerprint: Fingerprint, private readonly threads: number) {}

  lostReason(): string | undefined {
    return undefined;   // nothing but a worker can be lost, and each plan has its own
  }

  async open(spec: PlanSpec): Promise<Runner> {
    const runner = new WasmRunner();
    this.#runners.push(runner);
    try {
      this.notes.splice(0, this.notes.length, ...await runner.open(spec, this.threads));
      return runner;
    } catch (error) {
      runner.dispose();
      throw error;
    }
  }

  dispose(): void {
    for (const runner of this.#runners) runner.dispose();
  }
}

class WasmRunner implements Runner {
  readonly #worker = new Worker(new URL('./wasm_worker.js', import.meta.url), { type: 'module', name: 'hone' });
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #next_id = 1;
  #ended: Error | undefined;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.ok) waiting?.resolve(data);
      else waiting?.reject(new Error(data.message));
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      this.#end(new Error(`the worker wasm_worker.js failed: ${event.message || 'it could not be loaded'}`));
    };
  }

  async open(spec: PlanSpec, threads: number): Promise<string[]> {
    const { note } = await this.#ask({ kind: 'open', runtime: new URL('./runtime.wasm', import.meta.url).href, threads, spec });
    return note === '' ? [] : [note];
  }

  // A copy goes: the weight may be a part of a chunk, and be wanted again.
  async write(upload: Upload): Promise<void> {
    const bytes = bytesOf(upload).slice();
    await this.#ask({ kind: 'write', upload: { buffer: upload.buffer, bytes } }, [bytes.buffer]);
  }

  async compile(): Promise<void> {}   // open has done it: the worker's memory and code come together

  async warmUp(inputs: readonly Upload[]): Promise<void> {
    await this.#ask({ kind: 'warm_up', inputs });
  }

  // The inputs go, without a copy: they were packed for this run.
  async run(inputs: readonly Upload[]): Promise<ArrayBuffer> {
    const buffers = new Set(inputs.map(input => bytesOf(input).buffer));
    return (await this.#ask({ kind: 'run', inputs }, [...buffers])).outputs;
  }

  #ask(request: Request, transfer: Transferable[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      const id = this.#next_id++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request } satisfies ToWorker, transfer);
    });
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }

  dispose(): void {
    this.#end(new Error('the model was disposed'));
  }
}
