// What a page says that files of a package are. Whatever a manifest names is held against the manifest; this is for the manifest itself, and for the
// scripts and modules that the runtime loads.
import { digestOf } from './digest.ts';
import { isEmbedded } from './embedded.ts';
import { PackageError } from './package_error.ts';

// Of manifest.json, or by the files' names (integrity.json of an export), as the integrity attribute of HTML has it.
export type Integrity = string | Readonly<Record<string, string>>;

const form = /^sha256-[A-Za-z0-9+/]{43}=$/;
const runtime_files = ['worker.js', 'runtime.wasm'];

// Of one file; undefined where the page says nothing of it. Throws a sentence for what is none, which browsers would ignore.
export function integrityOf(integrity: Integrity | undefined, file: string): string | undefined {
  const said = typeof integrity === 'object' ? integrity[file] : file === 'manifest.json' ? integrity : undefined;
  if (integrity !== undefined && said === undefined) throw new PackageError(`The integrity that was given names no ${file}: give integrity.json of the export.`);
  if (said !== undefined && !form.test(said)) throw new PackageError(`The integrity of ${file} is ${JSON.stringify(said)}, expected sha256- and 44 letters: take what hone export prints.`);
  return said;
}

// Where the page has digests; else the browser has checked it while it came.
export async function checkText(integrity: Integrity | undefined, file: string, text: string): Promise<void> {
  const expected = integrityOf(integrity, file);
  if (expected === undefined || crypto.subtle === undefined) return;
  const found = sourceIntegrity(await digestOf(new TextEncoder().encode(text)));
  if (found !== expected) throw new PackageError(`${file} of the package is not the file that was exported (its integrity is ${found}, the page expects ${expected}): copy the whole package again.`);
}

// No browser checks what a worker is made of: so it is fetched, and checked, before. folder: the runtime's.
export async function checkRuntime(integrity: Integrity | undefined, folder: URL): Promise<void> {
  if (typeof integrity !== 'object' || isEmbedded()) return;
  await Promise.all(runtime_files.filter(file => file in integrity).map(async file => {
    const response = await fetch(new URL(file, folder), { integrity: integrityOf(integrity, file)! }).catch(() => undefined);
    if (response?.ok !== true) throw new PackageError(`${file} of the package could not be fetched, or is not the file that was exported: copy the whole package again.`);
    await response.arrayBuffer();
  }));
}

// SHA-256 in hexadecimal digits as HTML has it.
export function sourceIntegrity(sha256: string): string {
  const bytes = (sha256.match(/../g) ?? []).map(pair => parseInt(pair, 16));
  return `sha256-${btoa(String.fromCharCode(...bytes))}`;
}
