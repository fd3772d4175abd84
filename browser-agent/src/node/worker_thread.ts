// WorkerThread: a thread of Node.js behind the part of a browser's Worker that the agent uses. The workers' bundles lie beside this one,
// under their names with node_ before and .mjs behind (build.mjs).
import { Worker } from 'node:worker_threads';

// What a worker is started with.
export interface WorkerSetting {
  page: string;   // the URL of the agent's page, without its fragment
}

export interface WorkerFault {
  message: string;
  preventDefault(): void;
}

export function bundleOf(url: URL): URL {
  return new URL(url.pathname.replace(/^.*\/(.*)\.js$/, 'node_$1.mjs'), import.meta.url);
}

export function pageOf(url: URL): string {
  return new URL('.', url).href;
}

export class WorkerThread {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: ((event: WorkerFault) => void) | undefined;
  readonly #worker: Worker;

  // url: as the page has it, http://…/agent/device_worker.js.
  constructor(url: URL) {
    const setting: WorkerSetting = { page: pageOf(url) };
    this.#worker = new Worker(bundleOf(url), { workerData: setting });
    this.#worker.on('message', (data: unknown) => this.onmessage?.({ data }));
    this.#worker.on('error', (error: Error) => this.onerror?.({ message: error.message, preventDefault: () => {} }));
  }

  postMessage(message: unknown): void {
    this.#worker.postMessage(message);
  }

  terminate(): void {
    void this.#worker.terminate();
  }
}
