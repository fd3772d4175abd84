// Whoever started this worker: the thread or the process before it. One of a process ends with it.
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSetting } from './worker_thread.ts';

// The URL of the agent's page, without its fragment.
export const page: string = parentPort === null ? process.argv[2] ?? '' : (workerData as WorkerSetting).page;

if (parentPort === null) process.on('disconnect', () => process.exit());

export function postToParent(message: unknown): void {
  if (parentPort !== null) parentPort.postMessage(message);
  else process.send?.(message);
}

export function onParentMessage(handle: (message: unknown) => void): void {
  if (parentPort !== null) parentPort.on('message', handle);
  else process.on('message', handle);
}
