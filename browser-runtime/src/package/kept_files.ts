// KeptFiles: the files of a package in the browser's Cache API, so that a later start fetches none of them. Each failure is a package that is kept
// less, never an error. Absent on insecure origins, and for pages that are not http(s).
import { eventTurn } from '../device/event_turn.ts';
import type { Manifest } from '../generated/manifest.ts';
import { isEmbedded } from './embedded.ts';
import type { FetchedManifest } from './read_manifest.ts';

const prefix = 'hone:';
const slice_bytes = 64 * 1024;

export class KeptFiles {
  #last: Promise<void> = Promise.resolve();
  #full = false;

  private constructor(private readonly cache: Cache, private readonly name: string, private readonly onNote: (note: string) => void) {}

  // onNote: a sentence when a file could not be kept.
  static async open(folder: URL, { model, version }: Manifest, onNote: (note: string) => void): Promise<KeptFiles | undefined> {
    if (typeof caches === 'undefined' || !folder.protocol.startsWith('http') || isEmbedded()) return undefined;
    const name = `${prefix}${model}:${version}`;
    return caches.open(name).then(cache => new KeptFiles(cache, name, onNote), () => undefined);
  }

  // Unchecked.
  find(url: URL): Promise<Response | undefined> {
    return this.cache.match(url).catch(() => undefined);
  }

  // Behind what was kept before.
  keep(url: URL, content: Uint8Array<ArrayBuffer> | string): void {
    this.#last = this.#last.then(() => this.#put(url, typeof content === 'string' ? content : inSlices(content)));
  }

  // Once all so far is kept, or is not to be: its content is free then.
  get settled(): Promise<void> {
    return this.#last;
  }

  async #put(url: URL, body: BodyInit): Promise<void> {
    if (!this.#full) await this.cache.put(url, new Response(body)).catch((error: unknown) => this.#stop(error));
  }

  // Once all files of a plan are asked for: the manifest's texts are kept behind them, and whatever they do not name goes.
  async finish({ manifest, texts }: FetchedManifest, folder: URL): Promise<void> {
    for (const [file, text] of texts) this.keep(new URL(file, folder), text);
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

// A body is copied when it is made, all at once: so the page's thread would be blocked.
function inSlices(content: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull: async controller => {
      await eventTurn();
      controller.enqueue(content.slice(at, at += slice_bytes));
      if (at >= content.length) controller.close();
    },
  });
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
