// What lets the agent come back as itself lives as long as the tab: a reloaded page is the same agent, a copied URL is another one.
import type { Resume } from '../core/agent_link.ts';

const item = 'hone.resume';

export function keepResume({ agent_id, secret }: Resume): void {
  sessionStorage.setItem(item, `${agent_id} ${secret}`);
}

export function keptResume(): Resume | undefined {
  const [agent_id, secret] = (sessionStorage.getItem(item) ?? '').split(' ');
  return agent_id === undefined || secret === undefined ? undefined : { agent_id, secret };
}
