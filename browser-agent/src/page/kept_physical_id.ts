// The id of this device, as this browser profile knows it: random, the same in every tab and after every restart.
const item = 'hone.device';
const form = /^[0-9a-f]{32}$/;

export interface Kept {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

// storage: localStorage, which a browser that keeps nothing for this page throws at. Undefined: nothing is kept.
export function keptPhysicalId(storage: () => Kept): string | undefined {
  try {
    const kept = storage().getItem(item);
    if (kept !== null && form.test(kept)) return kept;
    const fresh = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
    storage().setItem(item, fresh);
    return fresh;
  } catch {
    return undefined;
  }
}
