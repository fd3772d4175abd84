// What the agent's worker and the device's worker say to each other.
import type { Attempt, OutcomeName } from './outcome.ts';
import type { KnownDevice } from './known_device.ts';
import type { WorkSetting } from './reference_work.ts';
import type { Result, WorkItem } from './result.ts';
import type { DeviceChoice, Execution, PlanSpec, TaskSpec } from '../device/backend.ts';
import type { Fingerprint, Timer } from '../generated/protocol.ts';

export type ToDevice =
  | { kind: 'open'; choice: DeviceChoice; known?: KnownDevice }   // known: of the same device when it was opened before: it is not measured again
  | { kind: 'prepare'; spec: TaskSpec }
  | { kind: 'run'; items: WorkItem[] }
  | { kind: 'execute'; id: number; plan: PlanSpec }
  | { kind: 'release' }                       // frees all tasks
  | { kind: 'visible'; visible: boolean };

export type FromDevice =
  | { kind: 'opening'; next: string }          // a step of opening is done; next: what it does now
  | { kind: 'opened'; fingerprint: Fingerprint; timer: Timer; reference_us: number; note: string; work?: WorkSetting }  // reference_us: time of a fixed amount of work, for health
  | { kind: 'unavailable'; reason: string; remedy: string }
  | { kind: 'prepared'; task: string; error?: { outcome: OutcomeName; message: string } }
  | { kind: 'phase'; trials: { trial: number; attempt: number }[]; cap_ms: number }
  | { kind: 'result'; result: Result }
  | { kind: 'timing'; active: boolean }
  | { kind: 'done' }                          // the items of `run` have their results, or the device was lost
  | { kind: 'executed'; id: number; execution: Attempt<Execution> }
  | { kind: 'lost'; reason: string };

// A device's worker. terminate() ends it at once, whatever it does.
export interface DeviceLink {
  post(message: ToDevice): void;
  terminate(): void;
}

export type SpawnDevice = (onMessage: (message: FromDevice) => void, onCrash: (reason: string) => void) => DeviceLink;
