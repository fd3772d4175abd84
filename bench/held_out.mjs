// scripts/bench held_out --baseline PROGRAM: what the search finds on the operators of bench/space/held_out.json, beside what another build
// of hone finds, which lies with its native runner in a folder of its own. Both search from empty records, with the same agent; they begin
// by turns. Where the best times differ by more than 5 %, the built hone compiles both best schedules and times them in turns, and that
// ratio counts. Ratios are baseline / today: above 1, today's search is the better one. The agent is that of HONE_AGENT_DIR, if set.
//   --targets native,wasm,webgpu   --cases a,b (all)   --trials N (96)   --seed N (1)   --rounds N of turns (15; 0: none)
//   --keep FOLDER: databases and results stay there, and what is there already is taken as it is   --json
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM, honeAt, temporaryFolder } from './hone.mjs';
import { median } from './median.mjs';
import { geometricMean } from './peers/report.mjs';

const LIST = path.join(path.dirname(fileURLToPath(import.meta.url)), 'space/held_out.json'), PYTHON = '/usr/bin/python3';
const DOUBT = 1.05, OWN = ['--own-browser', '--quiet'];
const { values: options } = parseArgs({ options: { baseline: { type: 'string' }, targets: { type: 'string', default: 'native,wasm,webgpu' },
  cases: { type: 'string' }, trials: { type: 'string', default: '96' }, seed: { type: 'string', default: '1' },
  rounds: { type: 'string', default: '15' }, keep: { type: 'string' }, json: { type: 'boolean', default: false } } });
const cases = JSON.parse(fs.readFileSync(LIST, 'utf8')).cases.map(({ name }) => name)
  .filter(name => !options.cases || options.cases.split(',').includes(name));
if (!options.baseline || cases.length === 0) {
  console.error('held_out: --baseline names the other hone; --cases some of those of bench/space/held_out.json');
  process.exit(2);
}

const folder = options.keep ?? temporaryFolder();
execFileSync(PYTHON, [path.join(path.dirname(LIST), 'held_out_models.py'), LIST, folder]);
const PROGRAMS = { baseline: path.resolve(options.baseline), today: PROGRAM };

// With a folder of its own for notes of services and for expected outputs, whose form may differ between builds.
function sideOf(name) {
  const own = path.join(folder, name);
  fs.mkdirSync(own, { recursive: true, mode: 0o700 });
  return { program: PROGRAMS[name], env: { ...process.env, XDG_RUNTIME_DIR: own, HONE_CACHE_DIR: path.join(own, 'cache') } };
}
const sides = Object.fromEntries(Object.keys(PROGRAMS).map(name => [name, sideOf(name)]));

const on = side => honeAt(side.program, side.env);
const modelOf = name => ['--op', path.join(folder, `${name}.onnx`)];
const databaseOf = (side, name, target) => path.join(folder, `${name}.${target}.${options.seed}.${side}.db`);

// The schedule in words, of which hone compile makes a comment; parts that two launches have stand one after the other.
function wordsOf(side, name, target, key) {
  const args = ['compile', ...modelOf(name), '--target', target, '--db', databaseOf(side, name, target), '--device', key];
  const text = execFileSync(sides[side].program, [...args, '--schedule', 'best', '--dump', 'source'],
    { encoding: 'utf8', env: sides[side].env, maxBuffer: 1 << 28 });
  return [...text.matchAll(/^\S* ?schedule: (.*)$/gm)].map(([, words]) => words).join('; ');
}

function searched(side, name, target) {
  const db = databaseOf(side, name, target), hone = on(sides[side]);
  const report = hone('tune', ...modelOf(name), '--target', target, '--trials', options.trials, '--seed', options.seed, '--db', db, ...OWN);
  const [best] = hone('records', 'best', '--db', db).best, { key } = report.device;
  const { trials, errors, seed_ms } = report.tasks[0];
  return { us: best.best_ms * 1e3, seed_us: seed_ms * 1e3, source: best.source, words: wordsOf(side, name, target, key), trials, errors,
    wall_s: report.wall_s, slowdown: best.slowdown };
}

// Both best schedules in turns, by today's program: the median of each round, of the baseline's and of today's.
function inTurns(name, target, { baseline, today }) {
  const db = databaseOf('today', name, target), hone = on(sides.today);
  hone('records', 'merge', databaseOf('baseline', name, target), '--db', db);
  const { schedules } = hone('bench', ...modelOf(name), '--target', target, '--schedules', `${baseline.source},${today.source}`,
    '--rounds', options.rounds, '--db', db, ...OWN);
  if (schedules.length < 2) return { failed: 'today both are one kernel' };
  const failed = schedules.map(({ us_median, message }) => (us_median > 0 ? '' : message || 'no time')).find(text => text);
  return failed ? { failed } : { rounds: schedules.map(({ us_rounds }) => us_rounds) };
}

// Round by round, because other work on the machine slows a whole round, or leaves it one thread.
function ratiosOf([baseline, today]) {
  const ratios = baseline.map((us, round) => us / today[round]).filter(ratio => ratio > 0 && ratio < Infinity);
  return { ratio: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) };
}

function orFailed(step) {
  try {
    return step();
  } catch (error) {
    return { failed: String(error.message).slice(0, 300) };
  }
}

function compared(name, target, order) {
  const result = { case: name, target };
  for (const side of order) result[side] = orFailed(() => searched(side, name, target));
  return result;
}

function settled({ turns, ...result }) {
  const { case: name, target, baseline, today } = result;
  if (baseline.failed || today.failed) return result;
  const ratio = baseline.source === today.source ? 1 : baseline.us / today.us;
  if (Number(options.rounds) === 0 || Math.max(ratio, 1 / ratio) <= DOUBT) return { ...result, ratio };
  const { rounds, failed } = turns?.rounds ? turns : orFailed(() => inTurns(name, target, result));
  if (!rounds) return { ...result, turns: { failed }, ratio };
  const ratios = ratiosOf(rounds);
  return { ...result, turns: { rounds, ...ratios }, ratio: ratios.ratio };
}

const fileOf = (name, target) => path.join(folder, `${name}.${target}.${options.seed}.json`);

// The searches and turns that an earlier run has left are taken as they are; turns that failed are taken again.
function resultOf(name, target, position) {
  const file = fileOf(name, target), order = position % 2 ? ['today', 'baseline'] : ['baseline', 'today'];
  const result = settled(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : compared(name, target, order));
  result.load ??= os.loadavg()[0];
  fs.writeFileSync(file, JSON.stringify(result, null, 1));
  console.error(`${target} ${lineOf(result)} load ${result.load.toFixed(1)}`);
  return result;
}

function summaryOf(results) {
  const ratios = results.filter(({ ratio }) => ratio > 0).map(({ ratio }) => ratio);
  return { ratio_geometric_mean: geometricMean(ratios), ratio_least: Math.min(...ratios), failed: results.length - ratios.length };
}

const usText = (side, rounds) => (side.failed ? 'failed' : String(Number((rounds ? median(rounds) : side.us).toPrecision(3))));

function lineOf({ case: name, baseline, today, ratio, turns }) {
  const times = `${usText(baseline, turns?.rounds?.[0])} | ${usText(today, turns?.rounds?.[1])}`;
  return `| \`${name}\` | ${times} | ${ratio?.toFixed(2) ?? ''}${turns?.rounds ? ' in turns' : ''} |`;
}

function print(target, { results, ratio_geometric_mean, ratio_least, failed }) {
  console.log(`\n${target}\n\n| case | baseline, µs | today, µs | baseline / today |\n| --- | ---: | ---: | ---: |`);
  console.log(results.map(lineOf).join('\n'));
  console.log(`\ngeometric mean ${ratio_geometric_mean?.toFixed(3)}, least ${ratio_least.toFixed(2)}, failed ${failed}`);
}

const targets = Object.fromEntries(options.targets.split(',').map(target => {
  const results = cases.map((name, position) => resultOf(name, target, position));
  return [target, { results, ...summaryOf(results) }];
}));
if (options.json) console.log(JSON.stringify(targets));
else for (const [target, found] of Object.entries(targets)) print(target, found);
