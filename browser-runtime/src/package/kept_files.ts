// KeptFiles: the files of a package in the browser's Cache API, so that a later start fetches none of them. Each failure is a package that is kept
// less, never an error. Absent on insecure origins, and for pages that are not http(s).
import type { Manifest } from '../generated/manifest.ts';
import { isEmbedded } from './embedded.ts';
import type { FetchedManifest } from './read_manifest.ts';

const prefix = 'hone:';

export class KeptFiles {
  #last: Promise<unknown> = Promise.resolve();   // one file at a time is in memory for it
  #full = false;

  private constructor(private readonly cache: Cache, private readonly name: string, private readonly onNote: (note: string) => void) {}

  // onNote: a sentence when a file could not be kept.
  static async open(folder: URL, { model, version }: Manifest, onNote: (note: string) => void): Promise<KeptFiles | undefined> {
    if (typeof caches === 'undefined' || !folder.protocol.startsWith('http') || isEmbedded()) return undefined;
    const name = `${prefix}${model}:${version}`;
    return caches.open(name).then(cache => new KeptFiles(cache, name, onNote), () => undefined);
  }

  // Unchecked.
  async read(url: URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
    try {
      const kept = await this.cache.match(url);
      return kept === undefined ? undefined : new Uint8Array(await kept.arrayBuffer());
    } catch {
      return undefined;
    }
  }

  // Comes back when the one before is kept.
  async keep(url: URL, content: Uint8Array<ArrayBuffer> | string): Promise<void> {
    await this.#last;
    if (!this.#full) this.#last = this.cache.put(url, new Response(content)).catch((error: unknown) => this.#stop(error));
  }

  // Once all files of a plan are asked for: the manifest's texts are kept behind them, and whatever they do not name goes.
  async finish({ manifest, texts }: FetchedManifest, folder: URL): Promise<void> {
    for (const [file, text] of texts) await this.keep(new URL(file, folder), text);
    await this.#last;
    const files = [...manifest.chunks, ...manifest.plans.flatMap(({ plan, kernels }) => [plan, kernels])].map(({ file }) => file);
    const named = new Set([...texts.keys(), ...files].map(file => new URL(file, folder).href));
    for (const name of await caches.keys()) if (name.startsWith(prefix)) await clean(name, key => key.startsWith(folder.href) && !(name === this.name && named.has(key)));
  }

  #stop(error: unknown): void {
    if (this.#full) return;
    this.#full = true;
    this.onNote(`The browser does not keep the package for the next start: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

// Whatever is kept under the URL, by whatever package.
export async function keptText(url: URL): Promise<string | undefined> {
  try {
    return await (await caches.match(url))?.text();
  } catch {
    return undefined;
  }
}

async function clean(name: string, isOld: (url: string) => boolean): Promise<void> {
  const cache = await caches.open(name);
  for (const { url } of await cache.keys()) if (isOld(url)) await cache.delete(url);
  if ((await cache.keys()).length === 0) await caches.delete(name);
}
