// scripts/real_gpu: what hone reaches on this machine's GPU. Checks the clock, measures the limits of arithmetic and memory in WGSL, tunes, verifies and times operators and
// models, compares them with ONNX Runtime Web and TensorFlow.js where a browser is there, and leaves real_gpu.json and real_gpu.md, after each case. Ctrl-C leaves what is known.
// Tuning goes on from the records of the last run.
//   --browser chromium | dawn (chromium with a window where there is a display, else Dawn in Node.js)   --quick: two cases, to see that all runs   --works a,b (all)
//   --time S of tuning for each task (30; quick: 5)   --rounds N with the others (5)   --out DIR (build/real_gpu)
//   --write FILE REPORT.json…: nothing is measured; the reports become a part of this document, e.g. docs/numbers.md
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { hasDisplay } from './peers/browsers/gpu.mjs';
import { writePart } from './peers/parts.mjs';
import { FULL, QUICK } from './real_gpu/cases.mjs';
import { ReportKeeper } from './real_gpu/keeper.mjs';
import { refusalOf, section } from './real_gpu/report.mjs';
import { measureAll } from './real_gpu/run.mjs';
import { faultsOf } from './real_gpu/schema.mjs';

const BROWSERS = ['chromium', 'dawn'], EXIT_CODES = { complete: 0, failed: 1, interrupted: 130 };

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { browser: { type: 'string', default: hasDisplay() ? 'chromium' : 'dawn' },
  quick: { type: 'boolean', default: false }, works: { type: 'string' }, time: { type: 'string' }, rounds: { type: 'string', default: '5' }, write: { type: 'string' },
  out: { type: 'string', default: path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build/real_gpu') } } });
const log = text => console.error(`real_gpu: ${text}`);

function refuse(text) {
  log(text);
  process.exit(2);
}

function number(name, text) {
  return Number.isFinite(Number(text)) && Number(text) > 0 ? Number(text) : refuse(`--${name} is "${text}"; expected a number above 0`);
}

function chosen(all, names) {
  const unknown = names?.split(',').find(name => !all.some(work => work.name === name));
  return unknown === undefined ? all.filter(({ name }) => !names || names.split(',').includes(name)) : refuse(`there is no work "${unknown}"; there are: ${all.map(({ name }) => name).join(', ')}`);
}

// Of a file that fits the schema and has what a document of real GPUs takes.
function read(file) {
  const faults = faultsOf(file), report = faults ? undefined : JSON.parse(fs.readFileSync(file, 'utf8')), why = faults || refusalOf(report);
  return why ? refuse(`${file} is not taken, and so nothing is written: ${why}`) : report;
}

async function measure() {
  if (!BROWSERS.includes(options.browser)) refuse(`there is no browser "${options.browser}"; there are: ${BROWSERS.join(', ')}`);
  const { browser, quick, out } = options, works = chosen(quick ? QUICK : FULL, options.works), seconds = number('time', options.time ?? (quick ? '5' : '30')), rounds = Math.ceil(number('rounds', options.rounds));
  const interrupted = new Promise(resolve => { process.once('SIGINT', resolve).once('SIGTERM', resolve); });
  fs.mkdirSync(out, { recursive: true });
  const place = { browser, version: '', window: browser === 'chromium' && hasDisplay() };
  const peers = browser === 'dawn' ? { skipped: 'ONNX Runtime Web and TensorFlow.js run in a browser, not in Node.js' } : { rounds };
  const keeper = new ReportKeeper(out, { place, quick, seconds_per_task: seconds, peers });
  if (peers.skipped) log(`no comparison: ${peers.skipped}`);
  await measureAll(works, { place, seconds, rounds, db: path.join(out, 'real_gpu.db'), folder: temporaryFolder(), keeper, interrupted, log });
  const { ended, failure } = keeper.report;
  log(`${[ended, failure].filter(Boolean).join(', ')}: ${keeper.files.join(', ')}`);
  return EXIT_CODES[ended];
}

if (options.write) writePart(options.write, 'real gpu', section(positionals.map(read)));
else process.exit(await measure());
