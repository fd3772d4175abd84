// scripts/bench suite: how long hone bench takes to decide a suite of twenty operators on one device in headless Chromium: each one's packages against themselves, but those of `--slower` of them,
// whose new build launches everything 21 times where the old one does 20 times. Right is `slower` there, and anything but slower and faster elsewhere.
// What surely differs by less than `--permitted` is the same.
//   --target wasm | webgpu | webgl (wasm)   --slower N (2)   --permitted SHARE (3%)   --pairs N (120)   --sample MS (20)   --json
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { PROGRAM, temporaryFolder } from './hone.mjs';

const CASES = 20, REPEATS = 20, MORE = 21, MINUTES_MAX = 5;
const { values: options } = parseArgs({ options: { target: { type: 'string', default: 'wasm' }, slower: { type: 'string', default: '2' }, permitted: { type: 'string', default: '3%' }, pairs: { type: 'string', default: '120' },
  sample: { type: 'string', default: '20' }, json: { type: 'boolean', default: false } } });
const folder = temporaryFolder(), slower = Number(options.slower);
// A regression makes it exit with 1.
const run = (...args) => spawnSync(PROGRAM, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const write = (file, text) => fs.writeFileSync(path.join(folder, file), text);

// The package with its launches so many times one after the other, which all write the same.
function repeat(from, to, times) {
  fs.cpSync(path.join(folder, from), path.join(folder, to), { recursive: true });
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, to, 'manifest.json'), 'utf8'));
  for (const { plan: asset } of manifest.plans) {
    const plan = JSON.parse(fs.readFileSync(path.join(folder, to, asset.file), 'utf8'));
    plan.launches = Array.from({ length: times }, () => plan.launches).flat();
    const bytes = JSON.stringify(plan);
    write(path.join(to, asset.file), bytes);
    Object.assign(asset, { bytes: Buffer.byteLength(bytes), sha256: createHash('sha256').update(bytes).digest('hex') });
  }
  write(path.join(to, 'manifest.json'), JSON.stringify(manifest));
}

const names = Array.from({ length: CASES }, (_, i) => `op${i}`), sizeOf = i => 64 + 8 * i;
const suiteOf = (file, cases) => write(file, `name: twenty\ndefaults: {target: ${options.target}, pairs: ${options.pairs}, sample_ms: ${options.sample}}\ncases:\n${cases.map(one => `  - {${one}}\n`).join('')}`);
suiteOf('ops.yaml', names.map((name, i) => `name: ${name}, op: "matmul:${sizeOf(i)}x${sizeOf(i)}x${sizeOf(i)}"`));
run('bench', '--suite', 'ops.yaml', '--keep', 'made', '--own-browser', '--quiet', '--runs', '1');
for (const [i, name] of names.entries()) {
  repeat(`made/${name}`, `old/${name}`, REPEATS);
  repeat(`made/${name}`, `new/${name}`, i < slower ? MORE : REPEATS);
}
suiteOf('suite.yaml', names.map(name => `package: new/${name}`));
run('bench', '--suite', 'suite.yaml', '--baseline', 'old', '--fail-on-regression', options.permitted, '--report', 'json=report.json', '--own-browser', '--quiet');
const report = JSON.parse(fs.readFileSync(path.join(folder, 'report.json'), 'utf8'));

const found = report.cases.map(({ results: [{ comparison }] }, i) => ({ verdict: comparison?.verdict ?? 'failed', pairs: comparison?.pairs ?? 0, is_slower: i < slower }));
const count = fits => found.filter(fits).length;
const differs = ({ verdict }) => verdict === 'slower' || verdict === 'faster';
const result = { minutes: report.took_ms / 60_000, minutes_max: MINUTES_MAX, cases: CASES, decided: count(({ verdict }) => ['slower', 'faster', 'same'].includes(verdict)),
  slower_found: count(one => one.is_slower && one.verdict === 'slower'), slower_all: slower, false_verdicts: count(one => !one.is_slower && differs(one)), pairs: found.map(({ pairs }) => pairs) };
if (options.json) console.log(JSON.stringify(result));
else console.log(`${result.minutes.toFixed(1)} minutes (wanted: at most ${MINUTES_MAX}); ${result.decided} of ${CASES} decided; ${result.slower_found} of ${slower} slower ones found; ${result.false_verdicts} false verdicts; pairs: ${result.pairs.join(' ')}`);
