// The page: starts the agent's worker with what the URL's fragment says, tells it whether the tab is visible, and shows its picture.
import type { FromAgent, ToAgent } from '../core/agent_link.ts';
import { readFragment, withoutCode } from './fragment.ts';
import { keptPhysicalId } from './kept_physical_id.ts';
import { KeptResume } from './kept_resume.ts';
import { keepToken, keptToken } from './kept_token.ts';
import { StatusView } from './status_view.ts';
import { WakeLock } from './wake_lock.ts';

async function start(): Promise<void> {
  const { token: given, code, launch_id, launch_flags, physical_id, name, choice } = readFragment(location.hash, navigator.userAgent);
  const token = given === '' ? keptToken(() => localStorage) : given;
  const view = new StatusView(document.getElementById('app') ?? document.body, name, given);
  if (token === '' && code === undefined) return view.showMissingToken();
  view.showStarting();
  const kept = new KeptResume(), resume = await kept.take();
  const worker = new Worker(new URL('agent_worker.js', location.href), { type: 'module', name: 'agent' });
  const wakeLock = new WakeLock();
  const say = (message: ToAgent): void => worker.postMessage(message);
  worker.onmessage = ({ data }: MessageEvent<FromAgent>) => {
    switch (data.kind) {
      case 'picture':
        wakeLock.hold(data.picture.session);
        return view.show(data.picture);
      case 'resume': return kept.keep(data.resume);
      case 'token':
        // Where nothing is kept, the code stays: reloaded, the page is told that it was used.
        if (keepToken(() => localStorage, data.token)) history.replaceState(null, '', `${location.pathname}${location.search}${withoutCode(location.hash)}`);
        return;
      default: data satisfies never;
    }
  };
  worker.onerror = event => view.showBroken(event.message || 'its script could not be loaded');
  document.addEventListener('visibilitychange', () => say({ kind: 'visible', visible: document.visibilityState === 'visible' }));
  // The sockets close with the worker: the service is to know at once that the device is gone.
  addEventListener('pagehide', () => worker.terminate());
  say({ kind: 'start', token, code, agent_name: name, launch_id, resume, launch_flags, physical_id: physical_id ?? keptPhysicalId(() => localStorage), choice });
  say({ kind: 'visible', visible: document.visibilityState === 'visible' });
}

// The token is in the fragment: a new fragment is a new start.
addEventListener('hashchange', () => location.reload());
// Back out of the browser's cache of pages: its worker has ended.
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
void start();
