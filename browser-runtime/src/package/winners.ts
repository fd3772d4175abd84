// What was fastest on this device for a package, kept by the browser. Where it keeps nothing, nothing is known; nothing here throws.
import type { Manifest, PlanHead } from '../generated/manifest.ts';
import { describeBrowser } from '../device/browser_name.ts';
import { within } from '../device/within.ts';
import { digestOf } from './digest.ts';

export interface Winner {
  readonly head: PlanHead;            // of the manifest
  readonly of_all: boolean;           // every plan was tried, not the first of each backend alone
}

const database = 'hone', store = 'winners';
const wait_ms_max = 1_000;            // for an IndexedDB that never answers

// here: of thisPlace.
export async function recallWinner(manifest: Manifest, here: Promise<string>): Promise<Winner | undefined> {
  return quietly(async () => {
    const key = await keyOf(manifest), kept = await within(withStore('readonly', all => all.get(key)), wait_ms_max);
    return kept === undefined || kept === 'late' ? undefined : checked(manifest, Reflect.get(Object(kept), await here));
  });
}

export async function keepWinner(manifest: Manifest, { head, of_all }: Winner): Promise<void> {
  await quietly(async () => {
    const key = await keyOf(manifest), here = await thisPlace();
    const kept = await within(withStore('readonly', all => all.get(key)), wait_ms_max);
    if (kept === 'late') return;
    await within(withStore('readwrite', all => all.put({ ...Object(kept), [here]: { plan: manifest.plans.indexOf(head), of_all } }, key)), wait_ms_max);
  });
}

function keyOf(manifest: Manifest): Promise<string> {
  return digestOf(new TextEncoder().encode(JSON.stringify(manifest)));
}

// What decides on the fastest: the adapter, the browser, and whether WebAssembly has threads.
export async function thisPlace(): Promise<string> {
  const { browser, browser_major } = describeBrowser(navigator.userAgent);
  const info = (await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' }))?.info;
  const backend: unknown = info === undefined ? undefined : Reflect.get(info, 'backend');
  return JSON.stringify([browser, browser_major, globalThis.crossOriginIsolated === true, info?.vendor, info?.architecture, backend]);
}

function checked({ plans }: Manifest, kept: unknown): Winner | undefined {
  const { plan, of_all } = Object(kept) as { plan?: unknown; of_all?: unknown }, head = typeof plan === 'number' ? plans[plan] : undefined;
  return head === undefined ? undefined : { head, of_all: of_all === true };
}

async function withStore(mode: IDBTransactionMode, ask: (all: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open(database, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store);
  const opened = await answerOf(opening);
  try {
    return await answerOf(ask(opened.transaction(store, mode).objectStore(store)));
  } finally {
    opened.close();
  }
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}
