// scripts/bench cpu: hone's tuned WebAssembly against that of ONNX Runtime Web, TensorFlow.js and jax-js, on operators and whole models in one
// headless Chromium, in turns, with one thread each and with all. Medians. Tuning goes on from the records of the last run.
//   --without relaxed-simd: hone's kernels are those of a browser that lacks it
//   --works a,b | operators | models | all (all)   --threads 1,2 (1 and all)   --rounds N (5)
//   --time S of tuning for each operator (20; 0: none)   --model-time S for each task of a model (5)   --db FILE (build/cpu.db)   --json
// Of operators hone's time is that of the kernels, inputs and outputs in place, as it is for TensorFlow.js; ONNX Runtime Web copies them. Of whole
// models it is all that a user waits for.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { honeModel } from './peers/hone_model.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { geometricMean } from './peers/report.mjs';
import { takeTurns } from './peers/turns.mjs';
import { MODELS, OPERATORS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build');
const TRIALS_MAX = '4096';  // the time is what ends a run

const { values: options } = parseArgs({ options: { works: { type: 'string', default: 'all' }, rounds: { type: 'string', default: '5' },
  threads: { type: 'string', default: `1,${os.availableParallelism()}` }, time: { type: 'string', default: '20' },
  'model-time': { type: 'string', default: '5' }, without: { type: 'string' }, db: { type: 'string', default: path.join(BUILD, 'cpu.db') }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);

const chosen = { operators: OPERATORS, models: MODELS, all: [...OPERATORS, ...MODELS] }[options.works];
const works = chosen ?? [...OPERATORS, ...MODELS].filter(work => options.works.split(',').includes(work.name));
if (works.length === 0) {
  log(`cpu: there is no work "${options.works}"; there are: operators, models, all, ${[...OPERATORS, ...MODELS].map(work => work.name).join(', ')}`);
  process.exit(2);
}

// The first one's output is the reference of whole models.
const peersOf = (hone, folder, threads) => ({
  ort_wasm: { module: 'ort', options: { provider: 'wasm', threads } },
  hone: { open: async () => honeModel(hone, folder, work => (work.model ? 'model_ms_median' : 'kernel_ms_median')) },
  tfjs_wasm: { module: 'tfjs', options: { backend: 'wasm', threads } },
  jax_wasm: { module: 'jaxjs', options: { device: 'wasm', threads }, only: work => ['MatMul', 'Softmax'].includes(work.node?.type) },
});

async function tune(work, hone) {
  const seconds = Number(work.model ? options['model-time'] : options.time);
  if (seconds <= 0) return;
  const tasks = work.model ? (await hone('compile', work.path, '--dump', 'te')).length : 1;
  log(`cpu: tuning ${work.name}, ${tasks} tasks, ${seconds} s each`);
  await hone('tune', work.path, '--trials', TRIALS_MAX, '--time', String(tasks * seconds));
}

async function compare(folder, threads) {
  log(`cpu: ${threads} thread${threads > 1 ? 's' : ''}`);
  const service = await startService(options.db), browser = await openBrowser(folder);
  const hone = (...args) => service.hone(...args, '--target', 'wasm');
  try {
    await browser.openAgent(`${service.url}&target=wasm&threads=${threads}${options.without ? `&without=${options.without}` : ''}`);
    for (const work of works) await tune(work, hone);
    return { browser: browser.version, results: await takeTurns({ browser, works, peers: peersOf(hone, folder, threads), rounds: Number(options.rounds), log }) };
  } finally {
    await browser.close();
    await service.close();
  }
}

// `over`: how many times faster hone is than the fastest of the others.
function rowOf(work, results) {
  const ms = Object.fromEntries(Object.entries(results).filter(([, result]) => !result.failed).map(([name, result]) => [name, result.ms]));
  const { hone, ...others } = ms;
  const fastest = Math.min(...Object.values(others));
  return { name: work.name, model: Boolean(work.model), ms, gflops: work.flops && hone ? work.flops / hone / 1e6 : undefined,
    over: hone > 0 && Number.isFinite(fastest) ? fastest / hone : null,
    failed: Object.fromEntries(Object.entries(results).filter(([, result]) => result.failed).map(([name, result]) => [name, result.failed])) };
}

const RESNET_CONVS = /^conv_\d+_\d+_3x3$/;
const LAYERS = name => RESNET_CONVS.test(name) || /^(dw|pw|softmax|layernorm)_/.test(name);
function barsOf(rows, threads) {
  const mean = of => geometricMean(rows.filter(row => of(row.name)).map(row => row.over));
  const bars = [
    { text: 'MatMul 512³', value: mean(name => name === 'matmul_512'), bar: threads === 1 ? 1.2 : 1.15 },
    { text: 'convolutions, pointwise, depthwise, softmax, layer norm: geometric mean', value: mean(LAYERS), bar: 1.2 },
    ...rows.filter(row => row.model).map(row => ({ text: row.name, value: row.over, bar: 1.1 })),
  ];
  return bars.filter(({ value }) => value !== null).map(bar => ({ ...bar, met: bar.value >= bar.bar }));
}

const PEERS = ['hone', 'ort_wasm', 'tfjs_wasm', 'jax_wasm'];
const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const line = cells => `| ${cells.join(' | ')} |\n`;

function markdown({ threads, rows, bars }) {
  const cell = (row, name) => (row.ms[name] ? number(row.ms[name]) : row.failed[name] ? 'fails' : '–');
  return `## ${threads === 1 ? 'One thread' : `${threads} threads`}\n${line(['ms', ...PEERS, 'hone, GFLOP/s', 'speed-up over the fastest'])}${line(Array(PEERS.length + 3).fill('---'))}`
    + rows.map(row => line([row.name, ...PEERS.map(name => cell(row, name)), row.gflops ? number(row.gflops) : '–', row.over ? `${row.over.toFixed(2)}×` : '–'])).join('')
    + `\n${line(['hone against the fastest WebAssembly peer', 'found', 'target', ''])}${line(Array(4).fill('---'))}`
    + bars.map(({ text, value, bar, met }) => line([text, value.toFixed(2), `≥ ${bar}`, met ? '' : 'not met'])).join('');
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const passes = [];
for (const threads of new Set(options.threads.split(',').map(Number))) {
  const { browser, results } = await compare(folder, threads);
  const rows = works.map(work => rowOf(work, results[work.name]));
  passes.push({ threads, browser, rows, bars: barsOf(rows, threads) });
}
if (options.json) fs.writeSync(1, `${JSON.stringify({ rounds: Number(options.rounds), passes })}\n`);
else console.log(passes.map(markdown).join('\n'));
