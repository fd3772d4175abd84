// A hone service of the benchmark's own, and the program's commands on it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import readline from 'node:readline';
import { promisify } from 'node:util';
import { PROGRAM } from './hone.mjs';

const OUTPUT_BYTES_MAX = 1 << 28;

// `url` opens the agent; hone(…) is one command on this service, its answer parsed. Close it.
export async function startService(db) {
  const process = spawn(PROGRAM, ['up', '--port', '0', '--db', db], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [url] = await once(readline.createInterface(process.stdout), 'line');
  const hone = async (...args) => {
    const run = promisify(execFile)(PROGRAM, [...args, '--json', '--quiet', '--tracker', url], { maxBuffer: OUTPUT_BYTES_MAX });
    const { stdout } = await run.catch(({ stderr, code, signal }) => { throw new Error(stderr?.trim().split('\n').at(-1).replace(/^hone: /, '') || `hone ${args[0]} ended with ${signal ?? code}`); });
    return JSON.parse(stdout);
  };
  const close = async () => {
    if (process.exitCode !== null || process.signalCode !== null) return;   // an interrupt reaches it, too
    process.kill('SIGINT');
    await once(process, 'exit');
  };
  return { url, hone, close };
}
