// The other end of a WorkerLink: what a worker does with the requests of its page.
import { bytesOf } from '../plan/plan.ts';
import type { Answer, FromWorker, Request, ToWorker } from './worker_messages.ts';

export type Handler = (request: Request) => Promise<Answer>;

const scope = globalThis as unknown as { onmessage: (event: MessageEvent<ToWorker>) => void; postMessage(message: FromWorker, transfer: Transferable[]): void };
const in_background: readonly Request['kind'][] = ['compile', 'warm_up'];   // weights are written meanwhile

export interface Failure {
  readonly message: string;        // a few words
  readonly lost?: string | undefined;
}

// In order, one at a time, but for what goes on in the background.
export function serve(handle: Handler, failureOf: (error: unknown) => Failure): void {
  const answer = async ({ id, request }: ToWorker): Promise<void> => {
    try {
      const done = await handle(request);
      scope.postMessage({ id, ok: true, answer: done }, memoryOf(done));
    } catch (error) {
      const { message, lost } = failureOf(error);
      scope.postMessage({ id, ok: false, message, lost }, []);
    }
  };
  let last: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data }) => {
    const done = last.then(() => ({ done: answer(data) }));
    last = done.then(({ done }) => (in_background.includes(data.request.kind) ? undefined : done));
  };
}

// What goes to the page without a copy.
function memoryOf({ ran }: Answer): ArrayBuffer[] {
  return ran === undefined ? [] : [...new Set([ran.outputs, ...ran.inputs.map(input => bytesOf(input).buffer)])];
}
