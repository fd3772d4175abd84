// What the worker of a team's helper thread (helper.ts) does. Its messages come by self, which Node.js gets from the agent.
import { Helper, type FromHelper, type ToHelper } from './helper.ts';

const scope = self as unknown as { onmessage: (event: MessageEvent<ToHelper>) => void; postMessage(message: FromHelper): void };

let helper: Helper | undefined;

async function handle(message: ToHelper): Promise<void> {
  switch (message.kind) {
    case 'start':
      helper = await Helper.start(message);
      return scope.postMessage({ kind: 'started' });
    case 'add': return scope.postMessage({ kind: 'added', id: message.id, error: helper?.add(message.id, message.module) ?? 'the thread was not started' });
    case 'remove': return helper?.remove(message.id);
    case 'stand_ready': return helper?.standReady(message.epoch);
    default: message satisfies never;
  }
}

export function serveLeader(): void {
  scope.onmessage = ({ data }) => {
    handle(data).catch((error: unknown) => setTimeout(() => { throw error; }));
  };
}
