// A package on WebAssembly: each plan in a worker of its own.
import type { Fingerprint } from '../device/fingerprint.ts';
import { describeWasm, hasThreads } from '../device/wasm/features.ts';
import type { PlanSpec } from '../plan/plan.ts';
import type { Device, Opened, Runner } from './device.ts';
import { disposed } from './disposed.ts';
import { embeddedUrl } from './embedded.ts';
import { WorkerLink } from './worker_link.ts';

const threads_max = 32;
const memory_bytes_max = 2 ** 31;

export async function openWasm(): Promise<Opened> {
  if (typeof WebAssembly === 'undefined') return { ok: false, reason: 'This browser has no WebAssembly.' };
  const threads = hasThreads() ? Math.max(1, Math.min(threads_max, navigator.hardwareConcurrency || 1)) : 1;
  const fingerprint = await describeWasm({ threads, memory_bytes_max, without: [] });
  return { ok: true, device: new WasmDevice(fingerprint, threads) };
}

// A worker whose threads gather, while the plan's files come in.
interface Place {
  readonly link: WorkerLink;
  readonly gathered: Promise<{ note?: string }>;
}

class WasmDevice implements Device {
  readonly notes: string[] = [];
  readonly takes_row_major = true;
  readonly #links: WorkerLink[] = [];
  #next: Place | undefined;

  constructor(readonly fingerprint: Fingerprint, private readonly threads: number) {
    this.#next = this.#gather();
  }

  lostReason(): string | undefined {
    return undefined;   // nothing but a worker can be lost, and each plan has its own
  }

  async open(spec: PlanSpec): Promise<Runner> {
    const { link, gathered } = this.#next ?? this.#gather();
    this.#next = undefined;
    try {
      const { note = '' } = await gathered;
      this.notes.splice(0, this.notes.length, ...note === '' ? [] : [note]);
      return await link.open(spec, () => link.end(disposed()));
    } catch (error) {
      link.end(disposed());
      throw error;
    }
  }

  #gather(): Place {
    const link = new WorkerLink(), gathered = link.ask({ kind: 'wasm', runtime: embeddedUrl('runtime.wasm') ?? new URL('./runtime.wasm', import.meta.url).href, threads: this.threads });
    gathered.catch(() => {});   // open tells
    this.#links.push(link);
    return { link, gathered };
  }

  dispose(): void {
    for (const link of this.#links) link.end(disposed());
  }
}
