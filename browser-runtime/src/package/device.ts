// What a package runs on: a device, and a plan opened on it. webgpu_device.ts, webgl_device.ts and wasm_device.ts implement both.
import type { Fingerprint } from '../device/fingerprint.ts';
import type { Attempt } from '../device/outcome.ts';
import type { GpuRun } from './gpu_values.ts';
import type { InputPlaces } from './input_memory.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';

// Whatever fails throws: a fault of the device or of its code. What is given as inputs is taken.
export interface Runner {
  write(upload: Upload): void | Promise<void>;         // takes its bytes
  compile(): Promise<void>;                    // weights may be written meanwhile
  warmUp(inputs: readonly Upload[]): Promise<void>;    // likewise: its results are of no use
  settle(inputs: readonly Upload[]): Promise<void>;    // once all weights are there; warm afterwards, even where nothing was warmed up
  run(inputs: readonly Upload[]): Promise<Ran>;   // several may be asked for; they run in order
  readonly places?: InputPlaces | undefined;   // where inputs are packed at once
  runOnGpu?(run: GpuRun): Promise<ArrayBuffer>;   // on WebGPU alone; in one order with the others. The outputs that are read, or what `told` holds
  dispose(): void;
}

export interface Ran {
  readonly outputs: Outputs;
  readonly inputs: readonly Upload[];          // what was taken, back again
  release?(): void;                            // once the outputs were read; to be called once. Nothing runs before
}

export type Outputs = ArrayBuffer | readonly Uint8Array[];   // one after the other; or each

export interface Device {
  readonly fingerprint: Fingerprint;
  readonly notes: readonly string[];           // sentences on how it runs
  readonly takes_row_major: boolean;           // whether its plans may have row-major inputs and outputs
  lostReason(): string | undefined;
  open(spec: PlanSpec): Promise<Runner>;       // the plan's memory
  dispose(): void;
}

export type Opened = { ok: true; device: Device } | { ok: false; reason: string };

export function valueOf<T>(attempt: Attempt<T>): T {
  if (!attempt.ok) throw new Error(attempt.message);
  return attempt.value;
}
