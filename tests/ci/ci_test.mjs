// What scripts/ci does in CI, run as plain shell: bench.sh, the step of action.yml and the job of gitlab.yml, with the real `hone report` on a stored report.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';

const project = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
const program = process.env.HONE_BINARY ?? path.join(project, 'build/release/hone');
const ci = path.join(project, 'scripts/ci');
const stored = path.join(project, 'cli/bench_reports/golden/report.json');   // with one regression
const comment = readFileSync(path.join(project, 'cli/bench_reports/golden/markdown.md'), 'utf8');
const annotations = readFileSync(path.join(project, 'cli/bench_reports/golden/github.txt'), 'utf8');

let folder;
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'hone_ci_')); });
afterEach(() => rmSync(folder, { recursive: true }));

const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY, ...environment } = process.env;   // these tests may run on GitHub
const run = (command, args, env = {}) => spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...environment, HONE: program, ...env } });
const bench = (args, env) => run('sh', [path.join(ci, 'bench.sh'), ...args], env);
const text = name => readFileSync(path.join(folder, name), 'utf8');

// A hone whose bench measures nothing: it writes down what it was asked, leaves `report` where --report says, and ends with `code`. All else is the real one.
function withBench({ report = stored, code = 1 } = {}) {
  const wrapper = path.join(folder, 'hone');
  writeFileSync(wrapper, `#!/bin/sh
[ "$1" = bench ] || exec "${program}" "$@"
printf '%s\\n' "$@" >asked
for word; do case $word in json=*) [ -z "${report}" ] || cp "${report}" "\${word#json=}" ;; esac; done
exit ${code}
`);
  chmodSync(wrapper, 0o755);
  return { HONE: wrapper };
}

test('given a stored report with a regression, when bench.sh is to fail on one, then it exits with 1 and leaves every report', () => {
  const { status, stdout, stderr } = bench(['--from', stored, '--fail-on-regression', '3%']);
  assert.equal(status, 1, stderr);
  assert.match(stderr, /^hone: 1 result is slower by more than 3 %$/m);
  assert.equal(stdout, '');
  assert.equal(text('hone_report/report.md'), comment);
  assert.match(text('hone_report/report.html'), /<script type="application\/json" id="report">\{/);
  assert.equal(Object.keys(JSON.parse(text('hone_report/bmf.json'))).length, 5);
  const { status: valid, stderr: faults } = run('xmllint', ['--noout', '--nonet', '--schema', path.join(project, 'cli/bench_reports/junit.xsd'), 'hone_report/junit.xml']);
  assert.equal(valid, 0, faults);
});

test('given the same, when nothing is to fail, or its own report is taken again, then it exits with 0', () => {
  assert.equal(bench(['--from', stored]).status, 0);
  assert.equal(bench(['--from', 'hone_report/report.json']).status, 0);
});

test('given GitHub, when bench.sh runs, then the summary is added to and annotations are printed', () => {
  writeFileSync(path.join(folder, 'summary'), 'before\n');
  const { status, stdout } = bench(['--from', stored], { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path.join(folder, 'summary') });
  assert.equal(status, 0);
  assert.equal(text('summary'), `before\n${comment}`);
  assert.equal(stdout, annotations);
});

test('given something to measure, when bench.sh runs, then hone bench is asked so, and its exit code is that of the step', () => {
  assert.equal(bench(['--model', 'a b.onnx', '--baseline', 'old/a b.onnx', '--fail-on-regression', '3%', '--device', 'vendor=arm', '--', '--pairs', '60'], withBench()).status, 1);
  assert.deepEqual(text('asked').trim().split('\n'), ['bench', 'a b.onnx', '--pairs', '60', '--baseline', 'old/a b.onnx', '--fail-on-regression', '3%', '--device', 'vendor=arm', '--report', 'json=hone_report/report.json']);
  assert.equal(bench(['--suite', 's.yaml'], withBench({ code: 0 })).status, 0);
  assert.deepEqual(text('asked').trim().split('\n'), ['bench', '--suite', 's.yaml', '--report', 'json=hone_report/report.json']);
});

test('given a bench that cannot begin, when bench.sh runs, then it has its exit code, and no report of an earlier run is taken for its own', () => {
  assert.equal(bench(['--from', stored]).status, 0);
  const { status, stderr } = bench(['--suite', 's.yaml'], withBench({ report: '', code: 3 }));
  assert.equal(status, 3, stderr);
  assert.ok(!existsSync(path.join(folder, 'hone_report/report.json')));
});

test('given arguments that make no sense, when bench.sh runs, then it exits with 2 and says what is wrong', () => {
  for (const [args, said] of [[[], /give --suite or --model/], [['--suite'], /--suite needs a value/], [['--suite', 'a', '--model', 'b'], /one of --suite and --model/], [['--from', stored, '--suite', 'a'], /give --from, or what/],
    [['--suite', 'a', '--fail-on-regression', '3%'], /name it with --baseline/], [['--suites', 'a'], /no option --suites/]]) {
    const { status, stderr } = bench(args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, said);
  }
  assert.equal(bench(['--from', 'nowhere.json']).status, 1);
});

// The lines below `run: |` of action.yml.
function stepOfAction() {
  const [, step] = /^ {6}run: \|\n((?: {8}.*\n)+)/m.exec(readFileSync(path.join(ci, 'action.yml'), 'utf8'));
  return step.replace(/^ {8}/gm, '');
}

test('given the step of action.yml, when it runs with inputs that mean harm, then they are words, and the exit code is that of bench.sh', () => {
  const none = { HONE_SUITE: '', HONE_MODEL: '', HONE_BASELINE: '', HONE_FAIL_ABOVE: '', HONE_DEVICE: '', HONE_OUT: 'out', HONE_FROM: '', GITHUB_ACTION_PATH: ci };
  assert.ok(!stepOfAction().includes('${{'));
  const step = env => run('sh', ['-e', '-c', stepOfAction()], { ...none, ...env });
  assert.equal(step({ HONE_FROM: stored, HONE_FAIL_ABOVE: '3%', GITHUB_ACTIONS: 'true' }).status, 1);
  assert.equal(text('out/report.md'), comment);
  const harm = '$(touch harmed) `touch harmed`; touch harmed #"\'';
  assert.equal(step({ HONE_SUITE: harm, HONE_DEVICE: harm, ...withBench({ code: 0 }) }).status, 0);
  assert.equal(text('asked').split('\n')[2], harm);
  assert.ok(!existsSync(path.join(folder, 'harmed')));
});

test('given the inputs of action.yml, then each reaches the step', () => {
  const action = readFileSync(path.join(ci, 'action.yml'), 'utf8');
  const [, inputs] = /^inputs:\n([^]*?)^outputs:/m.exec(action);
  for (const [, name] of inputs.matchAll(/^ {2}([a-z-]+):$/gm)) assert.match(action, new RegExp(`^ {8}HONE_[A-Z_]+: \\$\\{\\{ inputs\\.${name} \\}\\}$`, 'm'), name);
});

test('given the job of gitlab.yml, when its script runs in a clone, then the model of the base is the baseline', () => {
  const job = readFileSync(path.join(ci, 'gitlab.yml'), 'utf8');
  const [, script] = /^ {2}script:\n((?: {4}- .*\n)+)/m.exec(job);
  const lines = script.replace(/^ {4}- /gm, '');
  const git = (...args) => run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args]);
  git('init', '--quiet');
  writeFileSync(path.join(folder, 'model.onnx'), 'old');
  git('add', 'model.onnx');
  git('commit', '--quiet', '--message', 'old');
  const base = git('rev-parse', 'HEAD').stdout.trim();
  const { status, stderr } = run('sh', ['-e', '-c', lines], { ...withBench(), HONE_CI: ci, HONE_MODEL: 'model.onnx', HONE_FAIL_ABOVE: '3%', CI_MERGE_REQUEST_DIFF_BASE_SHA: base });
  assert.equal(status, 1, stderr);
  assert.equal(text('old/model.onnx'), 'old');
  assert.deepEqual(text('asked').trim().split('\n').slice(0, 4), ['bench', 'model.onnx', '--baseline', 'old/model.onnx']);
  assert.match(job, /junit: hone_report\/junit\.xml/);
});

test('given agent.containerfile, then hone has the verb and options that it names, and the package recommends what it installs', () => {
  const file = readFileSync(path.join(ci, 'agent.containerfile'), 'utf8');
  const help = run(program, ['agent', '--help']).stdout;
  assert.match(file, /^ENTRYPOINT \["hone", "agent"\]$/m);
  assert.match(help, /--tracker/);
  const cmake = readFileSync(path.join(project, 'CMakeLists.txt'), 'utf8');
  for (const name of ['chromium', 'nodejs', 'libgl1-mesa-dri', 'mesa-vulkan-drivers']) {
    assert.ok(file.includes(` ${name}`), name);
    assert.ok(cmake.includes(name), name);
  }
});
