// InputMemory: what the inputs of a plan are packed into, again from run to run: the pages of fresh memory cost several times what packing does.
import type { PlanPort } from '../generated/manifest.ts';
import { bytesOf, type Upload } from '../plan/plan.ts';

// Memory of the device's in which inputs have their places.
export interface InputPlaces {
  // undefined: not now.
  contentOf(buffer: number, bytes: number): Uint8Array | undefined;
}

const spare_max = 4;       // of each input; more runs are seldom under way at once

export class InputMemory {
  readonly #spare = new Map<number, Uint8Array<ArrayBuffer>[]>();   // by the plan's buffer

  constructor(private readonly places?: InputPlaces) {}

  // Places that hold nothing are zero, whoever had it before.
  take({ buffer, bytes }: Pick<PlanPort, 'buffer' | 'bytes'>): Uint8Array<ArrayBuffer> {
    const place = this.places?.contentOf(buffer, bytes);
    if (place !== undefined) return place as Uint8Array<ArrayBuffer>;
    return this.#spare.get(buffer)?.pop() ?? new Uint8Array(Math.ceil(bytes / 4) * 4).subarray(0, bytes);
  }

  // What was taken, once nobody reads it any more.
  give(uploads: readonly Upload[]): void {
    for (const upload of uploads) {
      const spare = this.#spare.get(upload.buffer) ?? [];
      if (spare.length < spare_max) spare.push(bytesOf(upload));
      this.#spare.set(upload.buffer, spare);
    }
  }
}
