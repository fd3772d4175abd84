// BlobCache: what was fetched from the service by content hash, kept for the next job. Kernels and weights of a model come again with
// every run of it. The longest unused go first when the cache is full.
import type { Attempt } from './outcome.ts';
import { success } from './outcome.ts';

export type FetchBlob = (sha256: string, bytes: number) => Promise<Attempt<ArrayBuffer>>;

export class BlobCache {
  readonly #fetch: FetchBlob;
  readonly #bytes_max: number;
  readonly #blobs = new Map<string, ArrayBuffer>();  // the longest unused first
  #bytes = 0;

  constructor(fetch: FetchBlob, bytes_max: number) {
    this.#fetch = fetch;
    this.#bytes_max = bytes_max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  // `fetch`: where it comes from if it is not kept; else from where all come.
  async get(sha256: string, bytes: number, fetch: FetchBlob = this.#fetch): Promise<Attempt<ArrayBuffer>> {
    const known = this.#blobs.get(sha256);
    if (known !== undefined) {
      this.#blobs.delete(sha256);
      this.#blobs.set(sha256, known);
      return success(known);
    }
    const fetched = await fetch(sha256, bytes);
    if (fetched.ok && !this.#blobs.has(sha256)) this.#keep(sha256, fetched.value);
    return fetched;
  }

  #keep(sha256: string, blob: ArrayBuffer): void {
    this.#blobs.set(sha256, blob);
    this.#bytes += blob.byteLength;
    for (const [oldest, old] of this.#blobs) {
      if (this.#bytes <= this.#bytes_max) return;
      this.#blobs.delete(oldest);
      this.#bytes -= old.byteLength;
    }
  }
}
