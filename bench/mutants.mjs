// scripts/bench mutants [--json] [--targets webgpu,webgl,wasm,native,opengl,opencl] [--count N] [--seed S]: how many wrong kernels are found wrong. Of
// each data type and target N kernels with one thing wrong (tests/kernel_mutants) go through the whole service to a real device.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false }, targets: { type: 'string', default: 'webgpu,webgl,wasm,native,opengl,opencl' },
    count: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' },
  },
});
const program = 'build/release/tests/kernel_mutants/run_kernel_mutants';
// The program does not lie beside what it serves and starts, as hone does.
const neighbours = {
  HONE_AGENT_DIR: path.resolve('browser-agent/dist'), HONE_RUNTIME_DIR: path.resolve('browser-runtime/dist'),
  ...Object.fromEntries(['native', 'opengl', 'opencl'].map(kind => [`HONE_${kind.toUpperCase()}_RUNNER`, path.resolve(`build/release/hone_${kind}_runner`)])),
};

function counted(target) {
  const folder = mkdtempSync(path.join(tmpdir(), 'mutants-'));
  try {
    const run = spawnSync(program, [target, '--count', values.count, '--seed', values.seed, '--db', path.join(folder, 'mutants.db')], {
      encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26, env: { ...neighbours, ...process.env },
    });
    if (run.stdout.trim() === '') throw new Error(`${program} ${target} ended with ${run.status ?? run.signal} and without a result`);
    return JSON.parse(run.stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function table(results) {
  const kinds = [...new Set(results.flatMap(({ rows }) => rows.map(row => row.kind)))].sort();
  const lines = [`| target | type | ${kinds.join(' | ')} | all |`, `| --- | --- |${' ---: |'.repeat(kinds.length + 1)}`];
  for (const { target, rows } of results) {
    for (const type of [...new Set(rows.map(row => row.type))]) {
      const of_type = rows.filter(row => row.type === type), cell = of => (of.length === 0 ? '' : `${sum(of, 'caught')} of ${sum(of, 'mutants')}`);
      lines.push(`| ${target} | ${type} | ${kinds.map(kind => cell(of_type.filter(row => row.kind === kind))).join(' | ')} | ${cell(of_type)} |`);
    }
  }
  return lines.join('\n');
}

function sum(rows, name) {
  return rows.reduce((all, row) => all + row[name], 0);
}

const results = values.targets.split(',').map(counted);
const mutants = sum(results, 'mutants'), caught = sum(results, 'caught');
if (values.json) console.log(JSON.stringify({ mutants, caught, right_kernels: sum(results, 'right_kernels'), right_refused: sum(results, 'right_refused'), targets: results }));
else console.log(`${table(results)}\n\n${caught} of ${mutants} mutants are found wrong; ${sum(results, 'right_refused')} of ${sum(results, 'right_kernels')} right kernels are refused.`);
process.exitCode = caught === mutants && sum(results, 'right_refused') === 0 ? 0 : 1;
