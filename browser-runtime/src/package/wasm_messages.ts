// What is said between a page (wasm_device.ts) and the worker that runs WebAssembly for it (wasm_worker.ts). Each request is answered, in order.
import type { PlanSpec, Upload } from '../plan/plan.ts';

export type Request =
  | { kind: 'open'; runtime: string; threads: number; spec: PlanSpec }   // runtime: the URL of runtime.wasm
  | { kind: 'write'; upload: Upload }
  | { kind: 'warm_up'; inputs: readonly Upload[] }
  | { kind: 'run'; inputs: readonly Upload[] };

export interface ToWorker {
  id: number;
  request: Request;
}

export type FromWorker =
  | { id: number; ok: true; outputs: ArrayBuffer; note: string }         // outputs: of a run; note: of open
  | { id: number; ok: false; message: string };
