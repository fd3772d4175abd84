// Where a package could run, one after the other: hardware first, drivers that compute on the processor last. Where others are measured afterwards,
// WebAssembly, which is ready soonest, comes before WebGL.
import { backendNames, type Backend, type Manifest, type PlanHead } from '../generated/manifest.ts';
import { isSoftware } from '../device/software.ts';
import { isSoftwareAdapter } from '../device/webgpu/adapter.ts';
import { rankPlans, type Choice } from './choose_plan.ts';
import type { Device, Opened } from './device.ts';
import { openWasm } from './wasm_device.ts';
import { openWebGpu } from './webgpu_device.ts';
import { openWebGl } from './webgl_device.ts';

export interface Candidate extends Choice {
  readonly device: Device;
}

export interface Wish {
  readonly backend: 'auto' | Backend;
  readonly fastest?: PlanHead;                 // here, before: the one to begin with
  readonly only?: PlanHead;
  readonly device: GPUDevice | undefined;      // the caller's, who wants it used whatever it is
  readonly quickest: boolean;                  // of several backends: what runs soonest matters, not what runs fastest
}

const quickest_order: readonly Backend[] = ['webgpu', 'wasm', 'webgl'];

// on: sentences on what was passed over. A device lives from its first candidate until the next device's, or until the generator is returned.
export async function* candidates(manifest: Manifest, { backend, fastest, only, device, quickest }: Wish, on: (note: string) => void): AsyncGenerator<Candidate, void> {
  const planned = only === undefined ? manifest : { plans: [only] };
  const wanted = (backend !== 'auto' ? [backend] : quickest ? quickest_order : backendNames).filter(name => manifest.plans.some(plan => plan.backend === name));
  if (wanted.length === 0) on(`The package has no plan for ${backend}.`);
  const last: Backend[] = [];
  const putLast = (name: Backend): void => {
    on(`${names[name]} runs on a software driver here, so it comes last.`);
    last.push(name);
  };
  for (const name of wanted) {
    const may_wait = wanted.length > 1 && !(name === 'webgpu' && device !== undefined);
    if (may_wait && name === 'webgpu' && await isSoftwareAdapter()) {
      putLast(name);
      continue;
    }
    const opened = await openers[name](device, manifest);
    if (!opened.ok) {
      on(opened.reason);
    } else if (may_wait && isSoftware(opened.device.fingerprint)) {
      opened.device.dispose();
      putLast(name);
    } else {
      yield* plansOf(planned, name, opened.device, fastest, on);
    }
  }
  for (const name of last) {
    const opened = await openers[name](device, manifest);
    if (opened.ok) yield* plansOf(planned, name, opened.device, fastest, on);
    else on(opened.reason);
  }
}

const names: Record<Backend, string> = { webgpu: 'WebGPU', webgl: 'WebGL', wasm: 'WebAssembly' };

const openers: Record<Backend, (device: GPUDevice | undefined, manifest: Manifest) => Promise<Opened>> = {
  webgpu: (device, { plans }) => openWebGpu(device, plans),
  webgl: () => openWebGl(),
  wasm: () => openWasm(),
};

async function* plansOf(manifest: Pick<Manifest, 'plans'>, backend: Backend, device: Device, fastest: PlanHead | undefined, on: (note: string) => void): AsyncGenerator<Candidate, void> {
  const { choices, refused } = rankPlans(manifest, backend, device.fingerprint, fastest);
  for (const note of refused) on(note);
  try {
    for (const choice of choices) if (device.lostReason() === undefined) yield { ...choice, device };
  } finally {
    device.dispose();
  }
}
