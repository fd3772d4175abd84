// A package on WebGL 2: in a worker, because to make a context, to compile and to read back may block a thread for long.
import type { Fingerprint } from '../device/fingerprint.ts';
import type { PlanSpec } from '../plan/plan.ts';
import type { Device, Opened, Runner } from './device.ts';
import { disposed } from './disposed.ts';
import { WorkerLink } from './worker_link.ts';

export async function openWebGl(): Promise<Opened> {
  let link: WorkerLink | undefined;
  try {
    link = new WorkerLink();
    const { fingerprint } = await link.ask({ kind: 'webgl' });
    return { ok: true, device: new WebGlDevice(link, fingerprint!) };
  } catch (error) {
    link?.end(disposed());
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

class WebGlDevice implements Device {
  readonly notes = [];
  readonly takes_row_major = false;

  constructor(private readonly link: WorkerLink, readonly fingerprint: Fingerprint) {}

  lostReason(): string | undefined {
    return this.link.lost;
  }

  // One plan at a time.
  async open(spec: PlanSpec): Promise<Runner> {
    const close = (): void => void this.link.ask({ kind: 'close' }).catch(() => {});   // the worker has ended
    return this.link.open(spec, close);
  }

  dispose(): void {
    this.link.end(disposed());
  }
}
