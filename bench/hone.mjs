// The program hone, as the benchmarks use it: each call is one command; hone() asks for --json and parses it.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.HONE ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build/release/hone');

export const honeText = (...args) => execFileSync(PROGRAM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
export const hone = (...args) => JSON.parse(honeText(...args, '--json'));

// A folder that is gone when the process ends.
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-bench-'));
  process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}
