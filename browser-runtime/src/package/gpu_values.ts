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
  readonly told: BoundPort | undefined;                 // of those outputs the one that is read all the same: what the run tells of whole numbers
}

// Throws one sentence for a buffer that the plan cannot take.
export function gpuRunOf(manifest: Manifest, plan: PlanFile, given: Readonly<Inputs>, device: GPUDevice, reads: boolean): GpuRun {
  const isBound = ({ value }: PlanPort): boolean => isGpuBuffer(given[manifest.inputs[value]!.name]);
  const inputs = plan.inputs.filter(isBound).map(port => boundInput(manifest.inputs[port.value]!, port, given));
  const uploads = packInputs(manifest, { ...plan, inputs: plan.inputs.filter(port => !isBound(port)) }, given as Values);
  const outputs = reads ? undefined : plan.outputs.map(port => boundOutput(manifest.outputs[port.value]!, port, device));
  return { uploads, inputs, outputs, told: outputs?.find((_, i) => manifest.outputs[plan.outputs[i]!.value]!.watched !== undefined) };
}

export function namedBuffers({ outputs }: Manifest, plan: PlanFile, bound: readonly BoundPort[]): Record<string, GPUBuffer> {
  return Object.fromEntries(plan.outputs.map(({ value }, i) => [outputs[value]!.name, bound[i]!.bound]));
}

// word: what the run told; the outputs are gone where that is a value that has left its bits. Throws one sentence then, as of outputs that are read.
export function checkOnGpu({ outputs: values }: Manifest, { outputs = [] }: GpuRun, word: ArrayBuffer): void {
  const watched = values.at(-1)?.watched;
  if (word.byteLength === 0 || watched === undefined) return;
  try {
    checkTold(watched, new Int32Array(word)[0]!);
  } catch (error) {
    for (const { bound } of outputs) bound.destroy();
    throw error;
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
