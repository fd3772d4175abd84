// From a `measure` frame's payload to the WebAssembly modules of its launches.
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { Measure } from '../generated/protocol.ts';

// Of one candidate: a module for each of its launches, empty where the launch is source text.
export type Modules = readonly Uint8Array<ArrayBuffer>[];

// Per candidate, in order; copies, so that the frame can go.
export function measureModules(frame: Measure, payload: Uint8Array): Attempt<Modules[]> {
  let at = 0;
  const modules = frame.candidates.map(({ launches }) => launches.map(({ module_bytes }) => payload.slice(at, at += module_bytes)));
  if (at === payload.length) return success(modules);
  return failure('protocol_error', `the modules of batch ${frame.batch} have ${at} bytes, its frame carries ${payload.length}`);
}
