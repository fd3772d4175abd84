// The worker of a team's helper thread (device/wasm/helper.ts).
import { Helper, type FromHelper, type ToHelper } from '../../../browser-runtime/src/device/wasm/helper.ts';

declare const self: DedicatedWorkerGlobalScope;

let helper: Helper | undefined;

function say(message: FromHelper): void {
  self.postMessage(message);
}

async function handle(message: ToHelper): Promise<void> {
  switch (message.kind) {
    case 'start':
      helper = await Helper.start(message);
      return say({ kind: 'started' });
    case 'add': return say({ kind: 'added', id: message.id, error: helper?.add(message.id, message.module) ?? 'the thread was not started' });
    case 'remove': return helper?.remove(message.id);
    case 'stand_ready': return helper?.standReady(message.epoch);
    default: message satisfies never;
  }
}

self.onmessage = ({ data }: MessageEvent<ToHelper>) => {
  handle(data).catch((error: unknown) => setTimeout(() => { throw error; }));
};
