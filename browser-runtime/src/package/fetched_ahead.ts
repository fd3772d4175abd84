// FetchedAhead: a file on its way before it is known who wants it, and whether anyone does.
import type { Asset } from '../generated/manifest.ts';
import { fetchAsset, type Source } from './files.ts';

export class FetchedAhead {
  #came = 0;
  #onBytes = (bytes: number): void => { this.#came += bytes; };
  readonly #content: Promise<Uint8Array<ArrayBuffer>>;

  // room: when there is memory for it.
  constructor(source: Source, readonly asset: Asset, room?: Promise<void>) {
    this.#content = fetchAsset(source, asset, bytes => this.#onBytes(bytes), room);
    this.#content.catch(() => {});   // of a file that nobody takes
  }

  // Once. onBytes: of what has come, and of what comes.
  take(onBytes: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
    onBytes(this.#came);
    this.#onBytes = onBytes;
    return this.#content;
  }
}
