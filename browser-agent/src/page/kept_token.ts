// The token that the service gave this page for an enrolment code. It outlives the tab and the service: a page of this origin comes back with it.
import type { Kept } from './kept_physical_id.ts';

const item = 'hone.token';
const form = /^[0-9a-f]{32}$/;

// storage: localStorage, which a browser that keeps nothing for this page throws at. Empty: none is kept.
export function keptToken(storage: () => Kept): string {
  try {
    const kept = storage().getItem(item);
    return kept !== null && form.test(kept) ? kept : '';
  } catch {
    return '';
  }
}

// False: this browser keeps nothing; the token ends with the page.
export function keepToken(storage: () => Kept, token: string): boolean {
  try {
    storage().setItem(item, token);
    return true;
  } catch {
    return false;
  }
}
