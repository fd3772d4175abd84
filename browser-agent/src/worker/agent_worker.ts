// The agent's worker: both sockets, the heartbeat and the watchdog. It never touches the GPU, so it lives on when the device's worker
// hangs; and it is no page, so the browser does not slow its timers down when the tab is hidden.
import { Agent } from '../core/agent.ts';
import type { FromAgent, ToAgent } from '../core/agent_link.ts';
import type { FromDevice, SpawnDevice } from '../core/device_link.ts';
import type { Attempt } from '../core/outcome.ts';
import { failure, success } from '../core/outcome.ts';
import { controlFromTracker, sessionFromServer } from '../generated/protocol.ts';
import { Trackers } from '../core/trackers.ts';
import { connector } from '../protocol/socket.ts';
import { browserScheduler } from './browser_scheduler.ts';

declare const self: DedicatedWorkerGlobalScope;

const groups_per_core = 2;
const group_max = 8;

let agent: Agent | undefined;

function say(message: FromAgent): void {
  self.postMessage(message);
}

const spawnDevice: SpawnDevice = (onMessage, onCrash) => {
  const worker = new Worker(new URL('device_worker.js', self.location.href), { type: 'module', name: 'device' });
  worker.onmessage = ({ data }: MessageEvent<FromDevice>) => onMessage(data);
  worker.onerror = event => {
    event.preventDefault();
    onCrash(event.message || 'it could not be loaded');
  };
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
};

async function fetchBlob(token: string, sha256: string, bytes: number): Promise<Attempt<ArrayBuffer>> {
  try {
    const response = await fetch(new URL(`/blob/${sha256}`, self.location.origin), { headers: { 'X-Hone-Token': token } });
    if (!response.ok) return failure('not_found', `blob ${sha256} answered ${response.status}`);
    const blob = await response.arrayBuffer();
    if (blob.byteLength !== bytes) return failure('protocol_error', `blob ${sha256} has ${blob.byteLength} bytes, ${bytes} were announced`);
    return success(blob);
  } catch (error) {
    return failure('io_error', `blob ${sha256} could not be fetched: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function start(message: Extract<ToAgent, { kind: 'start' }>): void {
  const { token, code, agent_name, launch_id, resume, launch_flags, physical_id, choice } = message;
  const trackers = new Trackers(self.location.origin);
  const started: Agent = new Agent({
    identity: { token, code, agent_name, launch_id, resume },
    trackers,
    launch_flags,
    physical_id,
    choice,
    scheduler: browserScheduler,
    random: Math.random,
    group_max: Math.min(group_max, groups_per_core * (navigator.hardwareConcurrency || 1)),
    connectControl: connector(() => trackers.current, controlFromTracker),
    connectSession: connector(() => trackers.current, sessionFromServer),
    spawnDevice,
    fetchBlob: (sha256, bytes) => fetchBlob(started.token, sha256, bytes),
    onPicture: picture => say({ kind: 'picture', picture }),
    onResume: kept => say({ kind: 'resume', resume: kept }),
    onToken: own => say({ kind: 'token', token: own }),
  });
  agent = started;
  started.start();
}

self.onmessage = ({ data }: MessageEvent<ToAgent>) => {
  switch (data.kind) {
    case 'start': return start(data);
    case 'visible': return agent?.setVisible(data.visible);
    default: data satisfies never;
  }
};
