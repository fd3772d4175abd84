// WorkerLink: a worker that runs plans for the page, so that the page is never blocked; and the runner of the plan that is open there.
import { bytesOf, type PlanSpec, type Upload } from '../plan/plan.ts';
import type { Ran, Runner } from './device.ts';
import { embeddedScript } from './embedded.ts';
import type { Answer, FromWorker, Request, ToWorker } from './worker_messages.ts';

export const disposed = (): Error => new Error('the model was disposed');

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
    await this.ask({ kind: 'open', spec });
    return new WorkerRunner(this, close);
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

class WorkerRunner implements Runner {
  constructor(private readonly link: WorkerLink, readonly dispose: () => void) {}

  async write(upload: Upload): Promise<void> {
    await this.link.ask({ kind: 'write', upload }, [bytesOf(upload).buffer]);
  }

  async compile(): Promise<void> {
    await this.link.ask({ kind: 'compile' });
  }

  async warmUp(inputs: readonly Upload[]): Promise<void> {
    await this.#give('warm_up', inputs);
  }

  async settle(inputs: readonly Upload[]): Promise<void> {
    await this.#give('settle', inputs);
  }

  async run(inputs: readonly Upload[]): Promise<Ran> {
    const { ran } = await this.#give('run', inputs);
    return ran ?? { outputs: new ArrayBuffer(0), inputs: [] };
  }

  // The inputs go, without a copy.
  #give(kind: 'warm_up' | 'settle' | 'run', inputs: readonly Upload[]): Promise<Answer> {
    return this.link.ask({ kind, inputs }, [...new Set(inputs.map(input => bytesOf(input).buffer))]);
  }
}
