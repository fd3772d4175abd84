// The page: starts the agent's worker with what the URL's fragment says, tells it whether the tab is visible, and shows its picture.
import type { FromAgent, ToAgent } from '../core/agent_link.ts';
import { readFragment } from './fragment.ts';
import { keepResume, keptResume } from './kept_resume.ts';
import { StatusView } from './status_view.ts';
import { WakeLock } from './wake_lock.ts';


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
      case 'resume': return keepResume(data.resume);
      default: data satisfies never;
    }
  };
  worker.onerror = event => view.showBroken(event.message || 'its script could not be loaded');
  document.addEventListener('visibilitychange', () => say({ kind: 'visible', visible: document.visibilityState === 'visible' }));
  say({ kind: 'start', token, agent_name: name, launch_id, resume: keptResume(), launch_flags, choice });
  say({ kind: 'visible', visible: document.visibilityState === 'visible' });
}

// The token is in the fragment: a new fragment is a new start.
addEventListener('hashchange', () => location.reload());
start();
