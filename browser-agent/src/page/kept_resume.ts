// What lets the agent come back as itself lives as long as the tab: a reloaded page is the same agent, a copied URL is another one. A tab that
// is duplicated takes a copy with it. So the page that is the agent holds a lock of the agent's name; it ends with the page, and who finds it held
// by another tab is another agent. A page that is no secure context has no locks: there the service closes the connection of the elder tab,
// which then becomes another agent (core/control.ts).
import type { Resume } from '../core/agent_link.ts';

const item = 'hone.resume';
const leaving_ms_max = 3000;   // for the page before a reload to let go of its lock

export class KeptResume {
  #agent_id = '';   // whose lock is held, or waited for
  #release = (): void => {};

  // At the page's start, once. Undefined: a new agent.
  async take(): Promise<Resume | undefined> {
    const [agent_id, secret] = (sessionStorage.getItem(item) ?? '').split(' ');
    if (agent_id === undefined || secret === undefined) return undefined;
    return await this.#hold(agent_id) ? { agent_id, secret } : undefined;
  }

  keep({ agent_id, secret }: Resume): void {
    sessionStorage.setItem(item, `${agent_id} ${secret}`);
    if (agent_id !== this.#agent_id) void this.#hold(agent_id);
  }

  // False: another tab holds the lock.
  async #hold(agent_id: string): Promise<boolean> {
    if (!('locks' in navigator)) return true;
    this.#release();
    this.#agent_id = agent_id;
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), leaving_ms_max);
    return new Promise(done => {
      const held = navigator.locks.request(`hone ${agent_id}`, { signal: waiting.signal }, () => {
        clearTimeout(timer);
        done(true);
        return new Promise<void>(release => { this.#release = release; });
      });
      held.catch(() => done(false));
    });
  }
}
