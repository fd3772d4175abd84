// Given an installed tree, when it is moved to another folder, then the program finds its page and runners there, and tunes with them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const build = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'hone_install_'));
const [first, second] = [join(folder, 'first'), join(folder, 'second')];

function hone(...args) {
  const { HONE_AGENT_DIR, HONE_RUNTIME_DIR, HONE_REPORT_DIR, HONE_NATIVE_RUNNER, HONE_OPENGL_RUNNER, HONE_OPENCL_RUNNER, ...env } = process.env;
  const ran = spawnSync(join(second, 'bin/hone'), args, { cwd: folder, encoding: 'utf8', env: { ...env, HONE_CACHE_DIR: join(folder, 'cache') } });
  assert.equal(ran.status, 0, `hone ${args.join(' ')}: ${ran.stderr}`);
  return ran.stdout;
}

try {
  execFileSync('cmake', ['--install', build, '--prefix', first], { stdio: 'pipe' });
  cpSync(first, second, { recursive: true });
  rmSync(first, { recursive: true });
  assert.match(hone('compile', '--op', 'matmul:32x32x32'), /fn main/);
  // doctor exits 1 where the machine lacks something else.
  const doctor = spawnSync(join(second, 'bin/hone'), ['doctor', '--json'], { cwd: folder, encoding: 'utf8' });
  const checks = JSON.parse(doctor.stdout).checks;
  const places = JSON.stringify(checks);
  assert.ok(places.includes(join(second, 'share/hone/agent')), places);
  assert.ok(places.includes(join(second, 'libexec/hone/hone_native_runner')), places);
  const tuned = JSON.parse(hone('tune', '--op', 'matmul:32x32x32', '--target', 'native', '--trials', '2', '--db', 'a.db', '--own-browser', '--json'));
  assert.ok(tuned.tasks[0].best_ms > 0, JSON.stringify(tuned.tasks));
  execFileSync(join(process.argv[3], 'scripts/gen_model'), ['encoder', '--size', '16', '--out', join(folder, 'm.onnx')], { stdio: 'pipe' });
  hone('export', 'm.onnx', '--out', 'exported', '--targets', 'wasm');
  assert.ok(existsSync(join(folder, 'exported/index.js')));
  hone('report', join(process.argv[3], 'cli/bench_reports/golden/report.json'), '--format', 'html', '--out', 'report.html');
  assert.ok(existsSync(join(folder, 'report.html')));
  hone('export', 'm.onnx', '--out', 'native', '--targets', 'native');
  assert.ok(existsSync(join(folder, 'native/native/runtime/hone_model.h')));
  assert.ok(execFileSync('ls', ['-R', second], { encoding: 'utf8' }).includes('LICENSE'));
} finally {
  rmSync(folder, { recursive: true });
}
