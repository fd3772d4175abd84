// Inputs and outputs that lie in the caller's buffers on the GPU: elements of four bytes, row-major.
import type { Manifest, ModelValue, PlanFile, PlanPort } from '../generated/manifest.ts';
import { rowMajorBytes, usageOf, type GpuPort } from '../plan/gpu_ports.ts';
import type { Upload } from '../plan/plan.ts';
import { PackageError } from './package_error.ts';
import { checkTold, isGpuBuffer, packInputs, type Inputs, type Values } from './values.ts';

export interface BoundPort extends GpuPort {
  readonly position: number;       // of the plan's buffer
  readonly bound: GPUBuffer;       // the caller's
}

export interface GpuRun {
  readonly uploads: readonly Upload[];
  readonly inputs: readonly BoundPort[];
  readonly outputs: readonly BoundPort[] | undefined;   // undefined: they are read
}

// Throws one sentence for a buffer that the plan cannot take.
export function gpuRunOf(manifest: Manifest, plan: PlanFile, given: Readonly<Inputs>, device: GPUDevice, reads: boolean): GpuRun {
  const isBound = ({ value }: PlanPort): boolean => isGpuBuffer(given[manifest.inputs[value]!.name]);
  const inputs = plan.inputs.filter(isBound).map(port => boundInput(manifest.inputs[port.value]!, port, given));
  const uploads = packInputs(manifest, { ...plan, inputs: plan.inputs.filter(port => !isBound(port)) }, given as Values);
  return { uploads, inputs, outputs: reads ? undefined : plan.outputs.map(port => boundOutput(manifest.outputs[port.value]!, port, device)) };
}

export function namedBuffers({ outputs }: Manifest, plan: PlanFile, bound: readonly BoundPort[]): Record<string, GPUBuffer> {
  return Object.fromEntries(plan.outputs.map(({ value }, i) => [outputs[value]!.name, bound[i]!.bound]));
}

// Of a run whose outputs stay on the GPU, what it tells of whole numbers is read alone: four bytes. Throws one sentence, as of outputs that are read, and the buffers are gone.
export async function checkOnGpu({ outputs }: Manifest, plan: PlanFile, bound: readonly BoundPort[], device: GPUDevice): Promise<void> {
  const at = plan.outputs.findIndex(({ value }) => outputs[value]!.watched !== undefined);
  if (at < 0) return;
  try {
    checkTold(outputs[plan.outputs[at]!.value]!.watched!, await firstWord(device, bound[at]!.bound));
  } catch (error) {
    for (const { bound: buffer } of bound) buffer.destroy();
    throw error;
  }
}

async function firstWord(device: GPUDevice, buffer: GPUBuffer): Promise<number> {
  const read = device.createBuffer({ size: 4, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ }), encoder = device.createCommandEncoder();
  try {
    encoder.copyBufferToBuffer(buffer, 0, read, 0, 4);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return new Int32Array(read.getMappedRange())[0]!;
  } finally {
    read.destroy();
  }
}

function boundInput({ name, shape }: ModelValue, port: PlanPort, given: Readonly<Inputs>): BoundPort {
  const held = { ...port, shape, position: port.buffer, bound: given[name] as GPUBuffer }, usage = usageOf(held, 'pack');
  if (port.dtype === 'f16') throw new PackageError(`The input ${name} is held as f16 by the plan, which no GPUBuffer can be packed into: give a Float32Array.`);
  if ((held.bound.usage & GPUBufferUsage[usage]) === 0) throw new PackageError(`The input ${name} is a GPUBuffer without GPUBufferUsage.${usage}: make it with STORAGE and COPY_SRC.`);
  return held;
}

function boundOutput({ shape }: ModelValue, port: PlanPort, device: GPUDevice): BoundPort {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  return { ...port, shape, position: port.buffer, bound: device.createBuffer({ size: rowMajorBytes({ shape }), usage }) };
}
