// What is said between a page (worker_link.ts) and a worker that runs plans for it (worker_service.ts). Each request is answered.
import type { Fingerprint } from '../device/fingerprint.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';
import type { Ran } from './device.ts';

export type Request =
  | { kind: 'webgl' }                                       // finds the device
  | { kind: 'wasm'; runtime: string; threads: number }      // gathers the threads; runtime: the URL of runtime.wasm
  | { kind: 'open'; spec: PlanSpec }                        // the plan's memory
  | { kind: 'compile' }
  | { kind: 'write'; upload: Upload }
  | { kind: 'warm_up' | 'settle'; inputs: readonly Upload[] }
  | { kind: 'run'; inputs: readonly Upload[] }
  | { kind: 'close' };                                      // the plan

// fingerprint: of webgl. note: of wasm; a sentence, or empty. ran: of run.
export interface Answer {
  fingerprint?: Fingerprint;
  note?: string;
  ran?: Ran;
}

export interface ToWorker {
  id: number;
  request: Request;
}

export type FromWorker =
  | { id: number; ok: true; answer: Answer }
  | { id: number; ok: false; message: string; lost: string | undefined };   // lost: why the device is of no use any more
