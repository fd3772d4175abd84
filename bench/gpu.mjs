// scripts/bench gpu: hone's tuned kernels on a browser's GPU against those of its rivals there and kernels written by hand, on operators and more, in one
// headless browser, in turns. Medians. Tuning goes on from the records of the last run.
//   --browser chromium: WebGL, with whole models | firefox: WebGPU, with a tiny run there and back (chromium)
//   --works a,b | operators | models | all (all)   --rounds N (5)   --time S of tuning for each operator (20; 0: none)
//   --model-time S for each task of a model (5)   --db FILE (build/gpu.db)   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
// Of operators hone's time is that of the kernels, inputs and outputs in place, as it is for the others; of whole models and round trips all that a user waits for.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { CONTESTS, barsOf } from './peers/contests.mjs';
import { honeModel } from './peers/hone_model.mjs';
import { orLost } from './peers/lasting_browser.mjs';
import { overFastest } from './peers/paired.mjs';
import { writePart } from './peers/parts.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { takeTurns } from './peers/turns.mjs';
import { kernelOf, tasksOf, tune } from './peers/tuning.mjs';
import { MODELS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build');

const { values: options } = parseArgs({ options: { browser: { type: 'string', default: 'chromium' }, works: { type: 'string', default: 'all' },
  rounds: { type: 'string', default: '5' }, time: { type: 'string', default: '20' }, 'model-time': { type: 'string', default: '5' },
  db: { type: 'string', default: path.join(BUILD, 'gpu.db') }, write: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);
const refuse = (what, found, all) => {
  log(`gpu: there is no ${what} "${found}"; there are: ${all.join(', ')}`);
  process.exit(2);
};

const contest = CONTESTS[options.browser] ?? refuse('browser', options.browser, Object.keys(CONTESTS));
const all = [...contest.operators, ...contest.others], known = [...new Set([...all, ...MODELS])];
const works = { operators: contest.operators, models: MODELS, all }[options.works] ?? known.filter(work => options.works.split(',').includes(work.name));
if (works.length === 0) refuse('work', options.works, ['operators', 'models', 'all', ...known.map(work => work.name)]);

const kindOf = work => (work.model ? 'model' : work.round_trip ? 'round trip' : 'operator');

// The first one's output is the reference of whole models.
const peersOf = (hone, folder) => ({
  ...contest.rivals,
  hone: { module: contest.module, options: { schedule: 'best' }, only: work => kindOf(work) === 'operator' },
  hone_model: { open: async () => honeModel(hone, folder), only: work => kindOf(work) !== 'operator' },
  ...contest.hand,
});

async function prepareOperator(work, hone) {
  const seconds = Number(options.time), { target } = contest;
  if (seconds > 0) log(`gpu: tuning ${work.name}, ${seconds} s`);
  const { device } = await tune(work, { hone, target, seconds });
  work.hone = { best: kernelOf(work, { target, db: options.db, key: device.key, schedule: ['--schedule', 'best'] }) };
}

async function prepareModel(work, hone) {
  const { target } = contest, tasks = tasksOf(work, target), seconds = tasks * Number(options['model-time']);
  if (seconds === 0) return;
  log(`gpu: tuning ${work.name}, ${tasks} tasks, ${seconds} s`);
  await tune(work, { hone, target, seconds });
}

const PREPARE = { operator: prepareOperator, model: prepareModel, 'round trip': () => {} };

async function compare(folder) {
  const service = await startService(options.db), browser = await openBrowser(folder, options.browser);
  const hone = (...args) => service.hone(...args, '--target', contest.target);
  try {
    await browser.openAgent(`${service.url}&target=${contest.target}`);
    for (const work of works) await orLost(work, () => PREPARE[kindOf(work)](work, service.hone), browser.renew, log);
    return { browser: browser.version, results: await takeTurns({ browser, works: works.filter(({ lost }) => !lost), peers: peersOf(hone, folder), rounds: Number(options.rounds), log }) };
  } finally {
    await browser.close();
    await service.close();
  }
}

// How many times faster hone is than its fastest rival, and than the fastest that peers and experts write by hand.
function rowOf(work, results = {}) {
  const having = key => Object.fromEntries(Object.entries(results).filter(([, result]) => result[key]).map(([name, result]) => [name === 'hone_model' ? 'hone' : name, result[key]]));
  const ms = having('ms'), samples = having('samples_ms');
  const over = names => overFastest({ ms, samples }, 'hone', names)?.over ?? null;
  return { name: work.name, kind: kindOf(work), ms, gflops: work.flops && ms.hone ? work.flops / ms.hone / 1e6 : undefined, over_rivals: over(Object.keys(contest.rivals)),
    over_hand: over(Object.keys(contest.hand).filter(name => !contest.shown.includes(name))), failed: having('failed'), lost: work.lost };
}

const PEERS = ['hone', ...Object.keys(contest.rivals), ...Object.keys(contest.hand)];
const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const line = cells => `| ${cells.join(' | ')} |\n`;
const times = value => (value ? `${value.toFixed(2)}×` : '–');

function markdown({ browser, rounds, rows, bars }) {
  const cell = (row, name) => (row.ms[name] ? number(row.ms[name]) : row.lost ? 'lost' : row.failed[name] ? 'fails' : '–');
  const lost = rows.filter(row => row.lost).map(row => `- work ${row.name}: ${row.lost}\n`).join('');
  return `## ${contest.title}\nWritten by \`scripts/bench gpu --browser ${options.browser}\`: version ${browser}, headless, on software, medians of ${rounds} rounds in turns. Read the ratios.\n\n`
    + `${line(['ms', ...PEERS, 'hone, GFLOP/s', 'speed-up over the fastest rival', 'speed-up over the fastest by hand'])}${line(Array(PEERS.length + 4).fill('---'))}`
    + rows.map(row => line([row.name, ...PEERS.map(name => cell(row, name)), row.gflops ? number(row.gflops) : '–', times(row.over_rivals), times(row.over_hand)])).join('')
    + `\n${line([`hone: ${contest.title}`, 'found', 'target', ''])}${line(Array(4).fill('---'))}`
    + bars.map(({ text, value, least, most, met }) => line([text, value.toFixed(2), least ? `≥ ${least}` : `≤ ${most}`, met ? '' : 'not met'])).join('')
    + (lost && `\nLeft out:\n${lost}`);
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const { browser, results } = await compare(folder);
const rows = works.map(work => rowOf(work, results[work.name]));
const report = { browser, rounds: Number(options.rounds), rows, bars: barsOf(contest, rows) };
if (options.write) writePart(options.write, `gpu ${options.browser}`, markdown(report));
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else if (!options.write) console.log(markdown(report));
