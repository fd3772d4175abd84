// The page: starts the agent's worker with what the URL's fragment says, tells it whether the tab is visible, and shows its picture.
import type { FromAgent, ToAgent } from '../core/agent_link.ts';
import { readFragment } from './fragment.ts';
import { StatusView } from './status_view.ts';
import { WakeLock } from './wake_lock.ts';

const agent_id_item = 'hone.agent_id';

function start(): void {
  const { token, launch_id, launch_flags, name, choice } = readFragment(location.hash, navigator.userAgent);
  const view = new StatusView(document.getElementById('app') ?? document.body, name);
  if (token === '') return view.showMissingToken();
  const worker = new Worker(new URL('agent_worker.js', location.href), { type: 'module', name: 'agent' });
  const wakeLock = new WakeLock();
  const say = (message: ToAgent): void => worker.postMessage(message);
  worker.onmessage = ({ data }: MessageEvent<FromAgent>) => {
    switch (data.kind) {
      case 'picture':
        wakeLock.hold(data.picture.session);
        return view.show(data.picture);
      case 'agent_id': return sessionStorage.setItem(agent_id_item, data.agent_id);
      default: data satisfies never;
    }
  };
  worker.onerror = event => view.showBroken(event.message || 'its script could not be loaded');
  document.addEventListener('visibilitychange', () => say({ kind: 'visible', visible: document.visibilityState === 'visible' }));
  // The agent's id lives as long as the tab: a reloaded page is the same agent, a copied URL is another one.
  const resume_agent_id = sessionStorage.getItem(agent_id_item) ?? undefined;
  say({ kind: 'start', token, agent_name: name, launch_id, resume_agent_id, launch_flags, choice });
  say({ kind: 'visible', visible: document.visibilityState === 'visible' });
}

// The token is in the fragment: a new fragment is a new start.
addEventListener('hashchange', () => location.reload());
start();
