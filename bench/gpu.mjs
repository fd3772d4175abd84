// scripts/bench gpu: hone's tuned WebGL kernels against TensorFlow.js' WebGL and shaders written by hand, on operators and whole models in one
// headless Chromium, in turns. Medians. Tuning goes on from the records of the last run.
//   --works a,b | operators | models | all (all)   --rounds N (5)   --time S of tuning for each operator (20; 0: none)
//   --model-time S for each task of a model (5)   --db FILE (build/gpu.db)   --json
// Of operators hone's time is that of the kernels, inputs and outputs in place, as it is for the others; of whole models all that a user waits for.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hone as compile, temporaryFolder } from './hone.mjs';
import { honeModel } from './peers/hone_model.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { geometricMean } from './peers/report.mjs';
import { takeTurns } from './peers/turns.mjs';
import { MODELS, OPERATORS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build');
const TRIALS_MAX = '4096';  // the time is what ends a run
const HAND = ['row4', 'mrt4', 'mrt8', 'quad'];

const { values: options } = parseArgs({ options: { works: { type: 'string', default: 'all' }, rounds: { type: 'string', default: '5' },
  time: { type: 'string', default: '20' }, 'model-time': { type: 'string', default: '5' }, db: { type: 'string', default: path.join(BUILD, 'gpu.db') },
  json: { type: 'boolean', default: false } } });
const log = text => console.error(text);

const COMPARED = OPERATORS.filter(work => ['MatMul', 'Conv'].includes(work.node.type));
const chosen = { operators: COMPARED, models: MODELS, all: [...COMPARED, ...MODELS] }[options.works];
const works = chosen ?? [...OPERATORS, ...MODELS].filter(work => options.works.split(',').includes(work.name));
if (works.length === 0) {
  log(`gpu: there is no work "${options.works}"; there are: operators, models, all, ${[...OPERATORS, ...MODELS].map(work => work.name).join(', ')}`);
  process.exit(2);
}

const isSquare = work => /^matmul_\d+$/.test(work.name);
// The first one's output is the reference of whole models.
const peersOf = (hone, folder) => ({
  tfjs_webgl: { module: 'tfjs', options: { backend: 'webgl' } },
  hone: { module: 'hone_webgl', only: work => !work.model },
  hone_model: { open: async () => honeModel(hone, folder), only: work => Boolean(work.model) },
  ...Object.fromEntries(HAND.map(form => [`hand_${form}`, { module: 'hand_webgl', options: { form }, only: isSquare }])),
});

async function tune(work, hone) {
  const source = work.model ? [work.path] : ['--op', work.path], seconds = Number(work.model ? options['model-time'] : options.time);
  const tasks = work.model ? (await hone('compile', ...source, '--dump', 'te')).length : 1;
  if (seconds > 0) {
    log(`gpu: tuning ${work.name}, ${tasks} tasks, ${seconds} s each`);
    await hone('tune', ...source, '--trials', TRIALS_MAX, '--time', String(tasks * seconds));
  }
  if (!work.model) work.hone_webgl = compile('compile', ...source, '--target', 'webgl', '--schedule', 'best', '--db', options.db, '--dump', 'source')[0].source;
}

async function compare(folder) {
  const service = await startService(options.db), browser = await openBrowser(folder);
  const hone = (...args) => service.hone(...args, '--target', 'webgl');
  try {
    await browser.goto(`${service.url}&target=webgl`);
    for (const work of works) await tune(work, hone);
    return { browser: browser.version, results: await takeTurns({ browser, works, peers: peersOf(hone, folder), rounds: Number(options.rounds), log }) };
  } finally {
    await browser.close();
    await service.close();
  }
}

// How many times faster hone is than TensorFlow.js, and than the fastest shader that peers and experts write by hand. mrt8, eight targets, is
// what hone's own search led to: it is shown, and no bar.
function rowOf(work, results) {
  const ms = Object.fromEntries(Object.entries(results).filter(([, result]) => !result.failed).map(([name, result]) => [name, result.ms]));
  if (ms.hone_model) ms.hone = ms.hone_model;
  const hand = Math.min(...HAND.filter(form => form !== 'mrt8').map(form => ms[`hand_${form}`] ?? Infinity));
  return { name: work.name, model: Boolean(work.model), ms, gflops: work.flops && ms.hone ? work.flops / ms.hone / 1e6 : undefined,
    over_tfjs: ms.hone && ms.tfjs_webgl ? ms.tfjs_webgl / ms.hone : null, over_hand: ms.hone && Number.isFinite(hand) ? hand / ms.hone : null,
    failed: Object.fromEntries(Object.entries(results).filter(([, result]) => result.failed).map(([name, result]) => [name, result.failed])) };
}

function barsOf(rows) {
  const operators = rows.filter(row => !row.model && row.over_tfjs);
  const bars = [
    { text: 'MatMul 512³ against the fastest by hand', value: rows.find(row => row.name === 'matmul_512')?.over_hand, bar: 1.2 },
    { text: 'MatMul and Conv against TensorFlow.js: geometric mean', value: geometricMean(operators.map(row => row.over_tfjs)), bar: 1.5 },
    { text: 'MatMul and Conv against TensorFlow.js: the least', value: operators.length ? Math.min(...operators.map(row => row.over_tfjs)) : null, bar: 1 },
    ...rows.filter(row => row.model).map(row => ({ text: `${row.name} against TensorFlow.js`, value: row.over_tfjs, bar: 1.3 })),
  ];
  return bars.filter(({ value }) => value != null && !Number.isNaN(value)).map(bar => ({ ...bar, met: bar.value >= bar.bar }));
}

const PEERS = ['hone', 'tfjs_webgl', ...HAND.map(form => `hand_${form}`)];
const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const line = cells => `| ${cells.join(' | ')} |\n`;

function markdown({ rows, bars }) {
  const cell = (row, name) => (row.ms[name] ? number(row.ms[name]) : row.failed[name] ? 'fails' : '–');
  return `${line(['WebGL, ms', ...PEERS, 'hone, GFLOP/s', 'hone / TensorFlow.js'])}${line(Array(PEERS.length + 3).fill('---'))}`
    + rows.map(row => line([row.name, ...PEERS.map(name => cell(row, name)), row.gflops ? number(row.gflops) : '–', row.over_tfjs ? `${row.over_tfjs.toFixed(2)}×` : '–'])).join('')
    + `\n${line(['hone in WebGL', 'found', 'wanted', ''])}${line(Array(4).fill('---'))}`
    + bars.map(({ text, value, bar, met }) => line([text, value.toFixed(2), `≥ ${bar}`, met ? '' : 'not met'])).join('');
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const { browser, results } = await compare(folder);
const rows = works.map(work => rowOf(work, results[work.name]));
const report = { browser, rounds: Number(options.rounds), rows, bars: barsOf(rows) };
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else console.log(markdown(report));
