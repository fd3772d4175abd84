// bench/real_gpu.mjs as its users run it, on Dawn in Node.js with whatever GPU is there; HONE: the program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../hone.mjs';
import { faultsOf } from './schema.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), ERROR_MAX = 1e-4;

// Its lines on stderr go to onLine. {code, report, lines}; it has ended with all that it started, which have its stderr.
async function realGpu(args, onLine = () => {}) {
  const out = temporaryFolder(), lines = [], environment = { ...process.env, XDG_RUNTIME_DIR: out, HONE_CACHE_DIR: path.join(out, 'cache') };
  const child = spawn(process.execPath, [path.join(HERE, '../real_gpu.mjs'), '--out', out, ...args], { env: environment, stdio: ['ignore', 'inherit', 'pipe'] });
  readline.createInterface(child.stderr).on('line', line => {
    lines.push(line);
    onLine(line, child);
  });
  const [code] = await once(child, 'close'), file = path.join(out, 'real_gpu.json');
  return { code, lines, file, report: fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : undefined };
}

// A busy machine may disturb each sample; anything else that fails is a fault.
function assertMeasured(row) {
  if (row.failed) return assert.match(row.failed, /unstable|too busy|drift|differ/, row.name);
  assert.ok(row.us > 0 && row.max_error <= ERROR_MAX && row.share > 0, JSON.stringify(row));
}

test('given a GPU and no browser, when the quick run is made, then its report has the clock, the limits and each case verified, says why nothing is compared, and no document takes it', async () => {
  const { code, report, lines, file } = await realGpu(['--quick', '--browser', 'dawn', '--time', '3']);
  assert.equal(code, 0, lines.join('\n'));
  assert.equal(faultsOf(file), '');
  assert.equal(report.ended, 'complete');
  assert.ok(report.limits.f32.gflops > 0 && report.limits.copy.gb_s > 0, JSON.stringify(report.limits));
  assert.deepEqual(report.cases.map(({ name }) => name), ['matmul_256', 'softmax_1536x128']);
  report.cases.forEach(assertMeasured);
  assert.match(report.peers.skipped, /Node\.js/);
  assert.ok(lines.some(line => line.includes('GPU: ')));
  const document = path.join(path.dirname(file), 'document.md');
  assert.equal((await realGpu(['--write', document, file])).code, 2);
  assert.ok(!fs.existsSync(document));
});

test('given a run, when it is interrupted in its first case, then it ends by itself and leaves the limits that it had measured', async () => {
  const { code, report, lines, file } = await realGpu(['--quick', '--browser', 'dawn'], (line, child) => { if (line.endsWith('matmul_256: tuning')) child.kill('SIGINT'); });
  assert.equal(code, 130, lines.join('\n'));
  assert.equal(faultsOf(file), '');
  assert.equal(report.ended, 'interrupted');
  assert.ok(report.limits.f32.gflops > 0);
  assert.deepEqual(report.cases, []);
});

test('given options that mean nothing, when a run is asked for, then it is refused before anything is started', async () => {
  for (const wrong of [['--browser', 'lynx'], ['--time', 'long'], ['--works', 'matmul_3']]) {
    const { code, report } = await realGpu(wrong);
    assert.deepEqual([code, report], [2, undefined], wrong.join(' '));
  }
});
