// WorkerProcess: a process of Node.js behind the part of a browser's Worker that the agent uses, for a device that may take its process with it:
// Dawn aborts when it crashes, and also when a thread is ended that waits for the GPU. Bundles as in worker_thread.ts.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleOf, pageOf, type WorkerFault } from './worker_thread.ts';

export class WorkerProcess {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: ((event: WorkerFault) => void) | undefined;
  readonly #child: ChildProcess;
  #over = false;

  constructor(url: URL) {
    // Structured clones, as between threads; what Dawn says goes to our own log.
    this.#child = fork(fileURLToPath(bundleOf(url)), [pageOf(url)], { serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', data => this.onmessage?.({ data }));
    this.#child.on('error', ({ message }) => this.#end(message));
    this.#child.on('exit', (code, signal) => this.#end(`its process ended (${signal ?? `exit code ${code}`})`));
  }

  postMessage(message: unknown): void {
    this.#child.send(message as object, () => {});   // one that fails: the end follows
  }

  terminate(): void {
    this.#over = true;
    this.#child.kill('SIGKILL');
  }

  #end(message: string): void {
    if (!this.#over) this.onerror?.({ message, preventDefault: () => {} });
    this.#over = true;
  }
}
