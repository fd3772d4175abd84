// A whole model as an executor gets it. Each executor (webgpu_plan.ts, webgl2_plan.ts, wasm_plan.ts) makes its memory and its code once, takes
// constants, and then runs often. Buffers begin as zeros; whoever wants to know what was never written poisons them first.
import type { PlanLaunch, PlanLoop, Texture } from '../generated/manifest.ts';
import type { Block } from './copy_rows.ts';

export interface PlanKernel {
  readonly code: ArrayBuffer | Uint8Array<ArrayBuffer>;   // text in UTF-8, or a module
  readonly bindings: readonly { readonly writes: boolean }[];
  readonly scratch_bytes: number;
}

// An input or an output that comes or goes in row-major order, in elements of four bytes, and lies otherwise for the kernels. On WebAssembly alone.
export interface RowMajor {
  readonly bytes: number;
  readonly blocks: readonly Block[];
}

export interface PlanSpec {
  readonly buffers: readonly number[];     // bytes
  readonly textures: readonly Texture[];   // what the buffers are, where kernels read textures; else empty
  readonly kernels: readonly PlanKernel[];
  readonly launches: readonly PlanLaunch[];
  readonly loops: readonly PlanLoop[];     // in the order in which they begin, outer ones first
  readonly inputs_row_major?: readonly (RowMajor & { readonly buffer: number })[];
  readonly outputs: readonly { readonly buffer: number; readonly bytes: number; readonly row_major?: RowMajor }[];   // bytes: as they go
}

// The content of a buffer from its beginning or, without changing the rest, from the byte `at`, a multiple of 16.
export interface Upload {
  readonly buffer: number;
  readonly at?: number;
  readonly bytes: ArrayBuffer | Uint8Array<ArrayBuffer>;
}

export function bytesOf({ bytes }: Upload): Uint8Array<ArrayBuffer> {
  return bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
}

export function outputBytes({ outputs }: PlanSpec): number {
  return outputs.reduce((sum, { bytes }) => sum + bytes, 0);
}
