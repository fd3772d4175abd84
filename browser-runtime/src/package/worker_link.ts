// WorkerLink: a worker that runs plans for the page, so that the page is never blocked.
import type { PlanSpec } from '../plan/plan.ts';
import type { Runner } from './device.ts';
import { embeddedScript } from './embedded.ts';
import { SharedRunner } from './shared_runner.ts';
import type { Answer, FromWorker, Request, ToWorker } from './worker_messages.ts';
import { WorkerRunner } from './worker_runner.ts';

export class WorkerLink {
  readonly #worker = startWorker();
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  #next_id = 1;
  #ended: Error | undefined;
  #lost: string | undefined;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.ok) return waiting?.resolve(data.answer);
      this.#lost ??= data.lost;
      waiting?.reject(new Error(data.message));
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      this.end(new Error(`the worker worker.js failed: ${event.message || 'it could not be loaded'}`));
    };
  }

  // Why no plan runs there any more, once that is so.
  get lost(): string | undefined {
    return this.#lost ?? this.#ended?.message;
  }

  ask(request: Request, transfer: Transferable[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      const id = this.#next_id++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, request } satisfies ToWorker, transfer);
    });
  }

  // close: what the runner's disposal does.
  async open(spec: PlanSpec, close: () => void): Promise<Runner> {
    const { shared } = await this.ask({ kind: 'open', spec });
    return shared === undefined ? new WorkerRunner(this, close) : new SharedRunner(this, shared, close);
  }

  end(error: Error): void {
    this.#ended ??= error;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}

// Bundlers know the file by this very expression.
function startWorker(): Worker {
  const script = embeddedScript('worker.js');
  if (script === undefined) return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'hone' });
  return new Worker(script, { name: 'hone' });
}
