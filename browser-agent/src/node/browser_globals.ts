// What the agent's workers take from a browser, on a worker thread of Node.js or in a process: self with its messages, Worker and navigator. The rest
// (fetch, performance, WebAssembly, Atomics, MessageChannel) is there. build.mjs puts this before each worker.
import { availableParallelism, cpus } from 'node:os';
import { getEnvironmentData } from 'node:worker_threads';
import { onParentMessage, page, postToParent } from './parent.ts';
import { processorOf, userAgentOf } from './user_agent.ts';
import { WorkerProcess } from './worker_process.ts';
import { WorkerThread } from './worker_thread.ts';

const { href, origin } = new URL(page);

const scope = {
  location: { href, origin },
  crossOriginIsolated: true,   // shared memory is always allowed
  isSecureContext: true,
  postMessage: postToParent,
  set onmessage(handle: (event: { data: unknown }) => void) {
    onParentMessage(data => handle({ data }));
  },
};

const navigator = {
  userAgent: userAgentOf(process.version, process.platform),
  userAgentData: { getHighEntropyValues: () => Promise.resolve(processorOf(process.arch)) },
  hardwareConcurrency: typeof availableParallelism === 'function' ? availableParallelism() : cpus().length,   // the former since 18.14
};

// Where main.ts leaves that the device's worker is to be a process.
const device_apart = getEnvironmentData('device_apart') === true;

// Node.js 21 and later has a navigator of its own, which says less.
for (const [name, value] of Object.entries({ self: scope, navigator, Worker: device_apart ? WorkerProcess : WorkerThread })) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
