// A compute pass and what goes with it, in one submit.
import type { GpuWait } from './wait.ts';

export interface PassWork {
  encodePass(pass: GPUComputePassEncoder): void;
  before?: ((encoder: GPUCommandEncoder) => void) | undefined;
  after?: ((encoder: GPUCommandEncoder) => void) | undefined;
  alsoAwait?: (() => Promise<unknown>) | undefined;   // asked for once all is submitted
}

export async function submitPass(device: GPUDevice, wait: GpuWait, work: PassWork): Promise<void> {
  const encoder = device.createCommandEncoder();
  work.before?.(encoder);
  const pass = encoder.beginComputePass();
  work.encodePass(pass);
  pass.end();
  work.after?.(encoder);
  device.queue.submit([encoder.finish()]);
  await wait.until(Promise.resolve(work.alsoAwait?.()));
}
