// The runner of native kernels, of OpenGL's or of OpenCL's, as a process of Node.js. It gets no environment, and the three descriptors of its pipes.
import { spawn } from 'node:child_process';
import { getEnvironmentData } from 'node:worker_threads';
import type { RunnerPipe, StartRunner } from '../device/runner/runner.ts';

// Where main.ts leaves the runner's path for the threads.
export const runner_path_key = 'runner_path';

const last_words_max = 500;

export const startRunner: StartRunner = (threads_max, onBytes, onExit): RunnerPipe => {
  const path = String(getEnvironmentData(runner_path_key) ?? '');
  const runner = spawn(path, [String(threads_max)], { stdio: ['pipe', 'pipe', 'pipe'], env: {} });
  let last_words = '', over = false;
  const end = (reason: string): void => {
    if (!over) onExit(reason);
    over = true;
  };
  runner.stdin.on('error', () => {});   // its end follows
  runner.stdout.on('data', onBytes);
  runner.stderr.on('data', (words: Buffer) => { last_words = (last_words + words.toString()).slice(-last_words_max); });
  runner.on('error', ({ message }) => end(`the runner ${path} cannot be started: ${message}`));
  // After its output: an answer that it gave counts.
  runner.on('close', (code, signal) => end(`the runner ended (${signal ?? `exit code ${code}`})${last_words === '' ? '' : `: ${last_words.trim()}`}`));
  return { write: bytes => runner.stdin.write(bytes), end: () => runner.stdin.end() };
};
