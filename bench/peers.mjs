// scripts/bench peers: hone, tuned, against ONNX Runtime Web, TensorFlow.js and jax-js, on operators and whole models in one headless
// Chromium, in turns. Medians. Tuning goes on from the records of the last run.
//   --works a,b | operators | models | all (all)   --peers a,b   --rounds N (5)   --time S of tuning for each operator (60; 0: none)
//   --model-time S for each task of a model (5)   --db FILE (build/peers.db)   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
//   --untuned: packages without records instead, on WebGPU and WebAssembly, against ONNX Runtime Web (peers/untuned.mjs); --backends webgpu | wasm: on one of them;
//   --kernels: node by node (peers/untuned_kernels.mjs)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { honeModel } from './peers/hone_model.mjs';
import { orLost } from './peers/lasting_browser.mjs';
import { writePart } from './peers/parts.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { barsOf, markdown, summaryOf } from './peers/report.mjs';
import { takeTurns } from './peers/turns.mjs';
import { kernelOf, tasksOf, tune } from './peers/tuning.mjs';
import { contests, runUntuned, untunedMarkdown, untunedWorks } from './peers/untuned.mjs';
import { kernelsMarkdown, kernelWorks } from './peers/untuned_kernels.mjs';
import { MODELS, OPERATORS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build');
const TARGET = 'webgpu';

const { values: options } = parseArgs({ options: { works: { type: 'string', default: 'all' }, peers: { type: 'string' },
  rounds: { type: 'string', default: '5' }, time: { type: 'string', default: '60' }, 'model-time': { type: 'string', default: '5' },
  db: { type: 'string', default: path.join(BUILD, 'peers.db') },
  untuned: { type: 'boolean', default: false }, kernels: { type: 'boolean', default: false }, backends: { type: 'string', default: 'webgpu,wasm' }, write: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);
const isModel = work => Boolean(work.model), isOperator = work => !work.model;
const threads = Math.min(2, os.availableParallelism());

// The first one's output is the reference of whole models.
function peersOf(service, folder) {
  const inJax = work => ['MatMul', 'Softmax'].includes(work.node?.type);
  const all = {
    ort_wasm: { module: 'ort', options: { provider: 'wasm', threads } },
    hone: { module: 'hone', options: { schedule: 'best' }, only: isOperator },
    hone_model: { open: async () => honeModel(service.hone, folder), only: isModel },
    ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } },
    tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } },
    tfjs_webgl: { module: 'tfjs', options: { backend: 'webgl' } },
    tfjs_wasm: { module: 'tfjs', options: { backend: 'wasm', threads } },
    jax_webgpu: { module: 'jaxjs', options: { device: 'webgpu' }, only: inJax },
    jax_wasm: { module: 'jaxjs', options: { device: 'wasm' }, only: inJax },
  };
  const wanted = options.peers?.split(',');
  return Object.fromEntries(Object.entries(all).filter(([name]) => !wanted || name.startsWith('hone') || wanted.includes(name)));
}

// Tunes the work, and adds its best kernel on the device that did where it is an operator.
async function prepare(work, service) {
  const tasks = tasksOf(work, TARGET), seconds = Number(isModel(work) ? options['model-time'] : options.time);
  if (isModel(work) && seconds === 0) return;
  log(`peers: tuning ${work.name}, ${tasks} tasks, ${seconds} s each`);
  const report = await tune(work, { hone: service.hone, target: TARGET, seconds: tasks * seconds });
  if (seconds > 0) work.tuned = { tasks, trials: report.trials, naive_ms: report.model_ms_naive, seed_ms: report.model_ms_before, best_ms: report.model_ms_after };
  if (isOperator(work)) work.hone = { best: kernelOf(work, { target: TARGET, db: options.db, key: report.device.key, schedule: ['--schedule', 'best'] }) };
}

function tell(report, part, text) {
  if (options.write) writePart(options.write, part, text);
  if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
  else if (!options.write) console.log(text);
}

if (options.untuned) {
  const backends = options.backends.split(','), works = untunedWorks(BUILD, options.works);
  const unknown = backends.find(backend => !contests[backend]);
  if (unknown !== undefined || works.length === 0) {
    log(unknown !== undefined ? `peers: there is no backend "${unknown}"; there are: ${Object.keys(contests).join(', ')}` : `peers: there is no model "${options.works}"; there are: ${untunedWorks(BUILD, 'all').map(work => work.name).join(', ')}`);
    process.exit(2);
  }
  const how = { rounds: Number(options.rounds), backends };
  if (options.kernels) {
    const folder = temporaryFolder(), own = works.filter(({ zoo }) => !zoo);
    if (own.length > 0) prepareWorks(own, folder);
    const kernels = kernelWorks(works, BUILD, folder), report = await runUntuned(kernels, how, log);
    tell({ ...report, kernels }, `peers untuned kernels ${backends.join(' ')}`, kernelsMarkdown(kernels, report));
    process.exit(0);
  }
  const report = await runUntuned(works, how, log);
  tell(report, `peers untuned ${report.backends.join(' ')}`, untunedMarkdown(report));
  process.exit(0);
}

const chosen = { operators: OPERATORS, models: MODELS, all: [...OPERATORS, ...MODELS] }[options.works];
const works = chosen ?? [...OPERATORS, ...MODELS].filter(work => options.works.split(',').includes(work.name));
if (works.length === 0) {
  log(`peers: there is no work "${options.works}"; there are: operators, models, all, ${[...OPERATORS, ...MODELS].map(work => work.name).join(', ')}`);
  process.exit(2);
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const service = await startService(options.db), browser = await openBrowser(folder);
let results;
try {
  await browser.openAgent(service.url);
  for (const work of works) await orLost(work, () => prepare(work, service), browser.renew, log);
  results = await takeTurns({ browser, works: works.filter(({ lost }) => !lost), peers: peersOf(service, folder), rounds: Number(options.rounds), log });
} finally {
  await browser.close();
  await service.close();
}
const report = { browser: browser.version, rounds: Number(options.rounds), time_s: Number(options.time), model_time_s: Number(options['model-time']),
  works: works.map(work => summaryOf(work, results[work.name])) };
report.bars = barsOf(report.works);
tell(report, 'peers', markdown(report));
