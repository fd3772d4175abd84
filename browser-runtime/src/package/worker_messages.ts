// What is said between a page (worker_link.ts) and a worker that runs plans for it (worker_service.ts). Each request is answered.
import type { Fingerprint } from '../device/fingerprint.ts';
import type { PageWork } from '../device/wasm/page_thread.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';

export type Request =
  | { kind: 'webgl' }                                       // finds the device
  | { kind: 'wasm'; runtime: string; threads: number }      // gathers the threads; runtime: the URL of runtime.wasm
  | { kind: 'open'; spec: PlanSpec }                        // the plan's memory
  | { kind: 'compile' }
  | { kind: 'write'; upload: Upload }
  | { kind: 'warm_up' | 'settle'; inputs: readonly Upload[] }
  | { kind: 'run' | 'run_in_place'; inputs: readonly Upload[] }   // run_in_place: what is not in its place; the outputs stay in theirs
  | { kind: 'close' };                                      // the plan

// Where a plan's inputs and outputs lie in memory that the page shares; addresses.
export interface SharedPlaces {
  readonly memory: ArrayBufferLike;
  readonly inputs: readonly (readonly [buffer: number, at: number])[];
  readonly outputs: readonly { readonly at: number; readonly bytes: number }[];
}

// fingerprint: of webgl. note: of wasm; a sentence, or empty. shared: of open, where there is such memory. page: of settle, what is short enough for the page's
// own thread. ran: of run.
export interface Answer {
  fingerprint?: Fingerprint;
  note?: string;
  shared?: SharedPlaces;
  page?: PageWork;
  ran?: { readonly outputs: ArrayBuffer; readonly inputs: readonly Upload[] };
}

export interface ToWorker {
  id: number;
  request: Request;
}

export type FromWorker =
  | { id: number; ok: true; answer: Answer }
  | { id: number; ok: false; message: string; lost: string | undefined };   // lost: why the device is of no use any more
