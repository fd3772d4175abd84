import { eventTurn } from '../device/event_turn.ts';

// SHA-256 in hexadecimal digits; where the page has digests. In a task of its own: it copies what it is given.
export async function digestOf(content: Uint8Array<ArrayBuffer>): Promise<string> {
  await eventTurn();
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', content))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
