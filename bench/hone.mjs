// The program hone, as the benchmarks use it: each call is one command with --json and its parsed answer.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROGRAM = process.env.HONE ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build/release/hone');

// The same of another build of the program.
export const honeAt = (program, env = process.env) => (...args) =>
  JSON.parse(execFileSync(program, [...args, '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28, env }));

export const hone = honeAt(PROGRAM);

// A folder that is gone when the process ends.
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-bench-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
