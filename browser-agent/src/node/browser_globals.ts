// What the agent's workers take from a browser, on a worker thread of Node.js: self with its messages, Worker and navigator. The rest
// (fetch, performance, WebAssembly, Atomics, MessageChannel) is there. build.mjs puts this before each worker.
import { availableParallelism, cpus } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { processorOf, userAgentOf } from './user_agent.ts';
import { WorkerThread, type WorkerSetting } from './worker_thread.ts';

const { page } = workerData as WorkerSetting;
const { href, origin } = new URL(page);

const scope = {
  location: { href, origin },
  crossOriginIsolated: true,   // shared memory is always allowed
  postMessage: (message: unknown): void => parentPort?.postMessage(message),
  set onmessage(handle: (event: { data: unknown }) => void) {
    parentPort?.on('message', (data: unknown) => handle({ data }));
  },
};

const navigator = {
  userAgent: userAgentOf(process.version, process.platform),
  userAgentData: { getHighEntropyValues: () => Promise.resolve(processorOf(process.arch)) },
  hardwareConcurrency: typeof availableParallelism === 'function' ? availableParallelism() : cpus().length,   // the former since 18.14
};

// Node.js 21 and later has a navigator of its own, which says less.
for (const [name, value] of Object.entries({ self: scope, navigator, Worker: WorkerThread })) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
