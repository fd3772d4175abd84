// The files of a package: fetched, and checked against what the manifest says of them.
import { eventTurn } from '../device/event_turn.ts';
import type { Asset } from '../generated/manifest.ts';
import { digestOf } from './digest.ts';
import { embeddedUrl } from './embedded.ts';
import type { FetchedAhead } from './fetched_ahead.ts';
import { checkText, integrityOf, sourceIntegrity, type Integrity } from './integrity.ts';
import { keptText, type KeptFiles } from './kept_files.ts';
import { PackageError } from './package_error.ts';

export interface Source {
  readonly folder: URL;
  readonly signal: AbortSignal | undefined;
  readonly integrity?: Integrity | undefined;
  readonly kept?: KeptFiles | undefined;
  readonly ahead?: Map<string, FetchedAhead> | undefined;   // by name; who takes one removes it
}

class Unreachable extends PackageError {}

// From the browser's cache, or from the server. onBytes: as they come in. room: when there is memory for it; it is asked for before. Each step of it is a
// task of its own, as far as the page's thread has work with it.
export async function fetchAsset(source: Source, asset: Asset, onBytes: (bytes: number) => void = () => {}, room?: Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const url = new URL(asset.file, source.folder), found = await source.kept?.find(url);
  if (source.signal?.aborted === true) throw abortError(source.signal);
  const kept = found === undefined ? undefined : await contentOf(found, asset, room);
  if (kept !== undefined) {
    onBytes(kept.length);
    return kept;
  }
  const content = await fetchWhole(source, asset, onBytes, room);
  await eventTurn();
  source.kept?.keep(url, content);
  return content;
}

// What a cache holds may be of another time.
async function contentOf(found: Response, { bytes, sha256 }: Asset, room: Promise<void> | undefined): Promise<Uint8Array<ArrayBuffer> | undefined> {
  await room;
  const content = new Uint8Array(await found.arrayBuffer().catch(() => new ArrayBuffer(0)));
  return content.length === bytes && await digestOf(content) === sha256 ? content : undefined;
}

async function fetchWhole(source: Source, asset: Asset, onBytes: (bytes: number) => void, room: Promise<void> | undefined): Promise<Uint8Array<ArrayBuffer>> {
  const response = await open(source, asset.file, inBrowser(sourceIntegrity(asset.sha256)));
  await Promise.all([room, source.kept?.settled]);
  const content = new Uint8Array(asset.bytes), length = await fill(content, response, source, asset, onBytes);
  if (length !== asset.bytes) throw new PackageError(`${asset.file} of the package has ${length < asset.bytes ? length : `more than ${asset.bytes}`} bytes, the manifest says ${asset.bytes}: copy the whole package again.`);
  if (crypto.subtle !== undefined && await digestOf(content) !== asset.sha256) {
    throw new PackageError(`${asset.file} of the package is not the file that was exported (its SHA-256 differs): copy the whole package again.`);
  }
  return content;
}

// From the server, or, where it cannot be reached, what was kept of it; held against what the page says that it is.
export async function fetchText(source: Source, file: string, bytes_max: number): Promise<string> {
  const text = await fetchNewText(source, file).catch(async (error: unknown) => {
    if (!(error instanceof Unreachable)) throw error;
    const kept = await keptText(new URL(file, source.folder));
    if (kept === undefined) throw error;
    return kept;
  });
  if (text.length > bytes_max) throw new PackageError(`${file} of the package has more than ${bytes_max} bytes.`);
  await checkText(source.integrity, file, text);
  return text;
}

async function fetchNewText(source: Source, file: string): Promise<string> {
  const response = await open(source, file, { cache: 'no-cache', ...inBrowser(integrityOf(source.integrity, file)) });
  return response.text().catch((error: unknown) => { throw unreachable(source, file, error); });
}

// Where a page has no digests of its own (plain http), the browser's check stands in.
function inBrowser(integrity: string | undefined): RequestInit {
  return crypto.subtle === undefined && integrity !== undefined ? { integrity } : {};
}

export function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PackageError(`${file} of the package is no JSON: is ${file.startsWith('manifest') ? 'this the folder of a package' : 'the package whole'}?`);
  }
}

async function open(source: Source, file: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(embeddedUrl(file) ?? new URL(file, source.folder), { ...init, ...(source.signal && { signal: source.signal }) });
  } catch (error) {
    throw unreachable(source, file, error);
  }
  if (!response.ok) throw new PackageError(`${file} of the package is missing: ${source.folder.href} answered ${response.status}.`);
  return response;
}

// The bytes that came, counted no further than one beyond the end.
async function fill(content: Uint8Array, response: Response, source: Source, { file }: Asset, onBytes: (bytes: number) => void): Promise<number> {
  const reader = response.body?.getReader();
  let at = 0;
  try {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      if (at + next.value.length > content.length) {
        void reader?.cancel();
        return content.length + 1;
      }
      content.set(next.value, at);
      at += next.value.length;
      onBytes(next.value.length);
    }
  } catch (error) {
    throw unreachable(source, file, error);
  }
  return at;
}

function unreachable({ signal }: Source, file: string, error: unknown): Error {
  if (signal?.aborted === true) return abortError(signal);
  return new Unreachable(`${file} of the package could not be fetched, or is not the file that was exported: ${error instanceof Error ? error.message : String(error)}.`);
}

export function abortError(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new PackageError(`The load was aborted: ${String(signal.reason)}.`);
}
