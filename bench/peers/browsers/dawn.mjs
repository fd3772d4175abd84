// Dawn, Chromium's WebGPU, in Node.js, as if it were a browser: a "page" is a process that imports the page's module from its folder.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../../hone.mjs';
import { hasGpu } from './gpu.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), PEERS = path.dirname(HERE);
const AGENT = path.resolve(PEERS, '../../browser-agent/package.json');  // hone's agent has the package; the bench takes the same
// SwiftShader, where launch/node_program.cc finds it first; without a folder for sockets the driver complains.
const SOFTWARE = { VK_ICD_FILENAMES: '/usr/lib/chromium/vk_swiftshader_icd.json' };

function openPage(url, gpu) {
  const child = fork(path.join(HERE, 'dawn_page.mjs'), [createRequire(AGENT).resolve('webgpu'), url], { env: { XDG_RUNTIME_DIR: tmpdir(), ...(gpu && hasGpu() ? {} : SOFTWARE), ...process.env } });
  let done = () => {};  // one call at a time
  child.on('message', answer => done(answer));
  child.on('exit', code => done({ error: `Dawn's process ended (${code})` }));
  const ask = message => new Promise((resolve, reject) => {
    done = ({ value, error }) => (error ? reject(new Error(error)) : resolve(value));
    child.send(message);
  });
  return {
    load: module => ask({ load: path.join(PEERS, module) }),
    call: (name, ...args) => ask({ fn: name, args }),
    close: () => child.kill(),
  };
}

export async function openDawn(url, { gpu = false } = {}) {
  const { version } = createRequire(AGENT)('webgpu/package.json'), children = [];
  const page = async () => {
    children.push(openPage(url, gpu));
    return children.at(-1);
  };
  const openAgent = async address => {
    const agent = spawn(PROGRAM, ['agent', '--browser', 'node', '--quiet', '--tracker', address], { stdio: ['ignore', 'ignore', 'inherit'] });
    children.push({ close: async () => { agent.kill('SIGINT'); if (agent.exitCode === null) await once(agent, 'exit'); } });
  };
  return { version, page, openAgent, close: () => Promise.all(children.map(child => child.close())) };
}
