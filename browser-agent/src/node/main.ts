// node_agent.mjs FILE [RUNNER]: the agent on Node.js, for machines without a browser. It plays the page's part: it starts the agent's worker
// with what the URL in FILE says; a file, because every user of the machine can read a command line, and the URL carries the token. RUNNER:
// the program that runs native kernels, OpenGL's or OpenCL's (main.cc in native, opengl and opencl), where the URL asks for these. Its last line on stderr says what is going on; it ends when there is nothing more to hope for.
import { readFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import type { AgentPicture } from '../core/agent.ts';
import type { FromAgent, ToAgent } from '../core/agent_link.ts';
import { readFragment } from '../page/fragment.ts';
import { runner_path_key } from './runner_process.ts';
import { userAgentOf } from './user_agent.ts';
import { WorkerThread } from './worker_thread.ts';

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

function describe({ control, device }: AgentPicture): string {
  const named = (name: string, message: string): string => message === '' ? name : `${name} (${message})`;
  return `service: ${named(control.state, control.message)}; device: ${named(device.condition, device.message)}`;
}

function readUrl(): URL {
  const file = process.argv[2] ?? fail('node_agent.mjs needs a file with the URL that hone up prints; hone agent --browser node writes one.');
  try {
    return new URL(readFileSync(file, 'utf8').trim());
  } catch (error) {
    return fail(`${file} holds no URL of a service: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function start(): void {
  const url = readUrl();
  const { token, code, launch_id, launch_flags, physical_id, name, choice } = readFragment(url.hash, userAgentOf(process.version, process.platform));
  if (token === '' && code === undefined) fail('The URL carries no token; use the one that hone up printed.');
  const runner = process.argv[3];
  if (['native', 'opengl', 'opencl'].includes(choice.target) && runner === undefined) {
    fail(`Kernels for the target ${choice.target} need the path of hone_${choice.target}_runner as a second argument; hone agent --browser native gives it.`);
  }
  setEnvironmentData(runner_path_key, runner ?? '');
  setEnvironmentData('device_apart', choice.target === 'webgpu');
  const worker = new WorkerThread(new URL('agent_worker.js', url));
  const say = (message: ToAgent): void => worker.postMessage(message);
  let shown = '';
  worker.onmessage = ({ data }) => {
    const message = data as FromAgent;
    if (message.kind !== 'picture') return;
    const { control } = message.picture, sentence = describe(message.picture);
    if (control.state === 'refused') fail(`The service refused this agent: ${control.message}`);
    if (sentence !== shown) console.error(shown = sentence);
  };
  worker.onerror = ({ message }) => fail(`The agent's worker failed: ${message}`);
  say({ kind: 'start', token, code, agent_name: name, launch_id, resume: undefined, launch_flags, physical_id, choice: { ...choice, target: choice.target === 'best' ? 'wasm' : choice.target } });
  say({ kind: 'visible', visible: true });
}

start();
