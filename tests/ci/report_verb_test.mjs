// `hone report` on the command line: what it takes, what it refuses and how it ends.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

const project = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');
const program = process.env.HONE_BINARY ?? path.join(project, 'build/release/hone');
const stored = path.join(project, 'cli/bench_reports/golden/report.json');

let folder;
before(() => { folder = mkdtempSync(path.join(tmpdir(), 'hone_report_')); });
after(() => rmSync(folder, { recursive: true }));

const report = (...args) => spawnSync(program, ['report', ...args], { cwd: folder, encoding: 'utf8' });
function changed(name, change) {
  const json = JSON.parse(readFileSync(stored, 'utf8'));
  change(json);
  writeFileSync(path.join(folder, name), JSON.stringify(json));
  return name;
}

test('given a report, when no format is named, then it is Markdown; --json and --format json give one that is read again', () => {
  assert.match(report(stored).stdout, /^### hone: 1 regression; 2 slower, /);
  const { stdout } = report(stored, '--json');
  assert.equal(report(stored, '--format', 'json').stdout, stdout);
  writeFileSync(path.join(folder, 'again.json'), stdout);
  assert.equal(report('again.json', '--json').stdout, stdout);
  assert.deepEqual(JSON.parse(stdout), JSON.parse(readFileSync(stored, 'utf8')));
});

test('given a report, when it is printed as JSON, then it fits its schema', () => {
  writeFileSync(path.join(folder, 'instance.json'), report(stored, '--json').stdout);
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-W', 'ignore', '-m', 'jsonschema', '-i', 'instance.json', path.join(project, 'schema/bench_report.schema.json')], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

test('given regressions, when the run is to fail on one, then it does for the report that began last, after all is written; without a threshold it never passes', () => {
  const good = changed('good.json', json => { json.started_unix_ms += 1; for (const one of json.cases) for (const { comparison } of one.results) if (comparison) comparison.regression = 'no'; });
  const none = changed('none.json', json => { delete json.fail_above; });
  assert.equal(report(good, '--fail-on-regression').status, 0);
  assert.equal(report(stored, good, '--format', 'html', '--out', 'a.html', '--fail-on-regression').status, 0);
  assert.equal(report(stored, '--fail-on-regression', '--out', 'bad.md').status, 1);
  assert.ok(existsSync(path.join(folder, 'bad.md')));
  const { status, stderr } = report(none, '--fail-on-regression');
  assert.equal(status, 1);
  assert.match(stderr, /the report says nothing of regressions; hone bench --fail-on-regression 3% has it say/);
});

test('given a page, when it is printed, then it is byte by byte what --out writes: its policy has the digest of its script', () => {
  assert.equal(report(stored, '--format', 'html', '--out', 'page.html').status, 0);
  const page = readFileSync(path.join(folder, 'page.html'), 'utf8');
  assert.ok(report(stored, '--format', 'html').stdout === page);
  const [, script] = /<script>([^]*?)<\/script>/.exec(page), digest = createHash('sha256').update(script).digest('base64');
  assert.ok(page.includes(`script-src 'sha256-${digest}'`));
});

test('given files that are no reports, when they are read, then the sentence has the file and what is wrong', () => {
  writeFileSync(path.join(folder, 'broken.json'), '{"format":');
  const wrong = changed('wrong.json', json => { json.cases[0].results[0].comparison.ratio = -1; });
  const later = changed('later.json', json => { json.version = 2; });
  for (const [file, said] of [['nowhere.json', /nowhere\.json/], ['broken.json', /broken\.json: it is not JSON/], [wrong, /wrong\.json: it is no report of a benchmark: cases\[0\]\.results\[0\]\.comparison\.ratio: expected a number above 0, found -1/],
    [later, /later\.json: the report has version 2/], ['.', /\./]]) {
    const { status, stdout, stderr } = report(file);
    assert.deepEqual([status, stdout], [1, ''], file);
    assert.match(stderr, said);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

test('given arguments that make no sense, or a place that cannot be written, then it exits with 2, or with 1', () => {
  for (const args of [[], [stored, '--format', 'pdf'], [stored, stored], [stored, '--out', '']]) assert.equal(report(...args).status, 2, args.join(' '));
  const { status, stderr } = report(stored, '--out', '/proc/none/a.md');
  assert.equal(status, 1);
  assert.match(stderr, /\/proc\/none\/a\.md cannot be written: .*; give another file/);
});
