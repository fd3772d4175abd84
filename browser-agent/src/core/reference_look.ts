// A look at the reference kernel: how fast the device is, and whether other work was beside the sample before it.
import type { DriftMonitor } from './drift.ts';
import { success, type Attempt } from './outcome.ts';
import { median } from './statistics.ts';
import type { WaitScatter } from './wait_scatter.ts';
import type { Backend } from '../device/backend.ts';

export interface ReferenceLook {
  readonly us: number;         // of the reference kernel
  readonly passing: boolean;   // other work was there at first, and gone then
}

const runs_max = 3;
const apart_max = 0.1;         // two looks: drift and what waiting scatters

// One run of the reference kernel, or the median of three when one is off.
export async function lookAtReference(backend: Backend, drift: DriftMonitor): Promise<Attempt<ReferenceLook>> {
  const runs_us: number[] = [];
  do {
    const run = await backend.referenceUs();
    if (!run.ok) return run;
    runs_us.push(run.value);
  } while (runs_us.length < runs_max && drift.isOff(runs_us[0]!));
  const us = median(runs_us);
  return success({ us, passing: runs_us.length > 1 && !drift.isOff(us) });
}

// Of two looks the mean time; where they are further apart than a device drifts, other work was in the slower one.
export function together(one_us: number, other_us: number): number {
  const faster_us = Math.min(one_us, other_us);
  return Math.max(one_us, other_us) > (1 + apart_max) * faster_us ? faster_us : (one_us + other_us) / 2;
}

// Of a time of the reference kernel by the wall clock what the device takes: submitting and waiting take the same at any speed.
export function ownUs(reference_us: number, scatter: WaitScatter | undefined): number {
  return Math.max(0, reference_us - (scatter?.wait_ns ?? 0) / 1000);
}
