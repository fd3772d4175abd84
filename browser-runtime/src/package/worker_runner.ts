// WorkerRunner: the runner of the plan that is open in a worker. Inputs go there and outputs come back as messages, without a copy.
import { bytesOf, type Upload } from '../plan/plan.ts';
import type { Ran, Runner } from './device.ts';
import type { InputPlaces } from './input_memory.ts';
import type { WorkerLink } from './worker_link.ts';
import type { Answer } from './worker_messages.ts';

export class WorkerRunner implements Runner {
  constructor(private readonly link: Pick<WorkerLink, 'ask'>, readonly dispose: () => void) {}

  get places(): InputPlaces | undefined {
    return undefined;
  }

  async write(upload: Upload): Promise<void> {
    await this.link.ask({ kind: 'write', upload }, [bytesOf(upload).buffer]);
  }

  async compile(): Promise<void> {
    await this.link.ask({ kind: 'compile' });
  }

  async warmUp(inputs: readonly Upload[]): Promise<void> {
    await this.give('warm_up', inputs);
  }

  async settle(inputs: readonly Upload[]): Promise<void> {
    await this.give('settle', inputs);
  }

  async run(inputs: readonly Upload[]): Promise<Ran> {
    const { ran } = await this.give('run', inputs);
    return ran ?? { outputs: new ArrayBuffer(0), inputs: [] };
  }

  // The inputs go, without a copy.
  protected give(kind: 'warm_up' | 'settle' | 'run' | 'run_in_place', inputs: readonly Upload[]): Promise<Answer> {
    return this.link.ask({ kind, inputs }, [...new Set(inputs.map(input => bytesOf(input).buffer))]);
  }
}
