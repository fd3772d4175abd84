// scripts/bench exports: packages of hone export beside what tinygrad exports for WebGPU, on whole models in one headless Chromium, in turns. Sizes, starts
// and times; a run takes its input as an array and gives its output as one, on both sides. Medians.
//   --models a,b (all)   --rounds N (5)   --database FILE of records (build/package.db)   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { markdown, summaryOf } from './peers/exports/report.mjs';
import { exportWithTinygrad, prepareTinygrad } from './peers/exports/tinygrad.mjs';
import { exportPackage, plansOf } from './peers/packages.mjs';
import { writePart } from './peers/parts.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { takeTurns } from './peers/turns.mjs';
import { MODELS } from './peers/works.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), BUILD = path.resolve(HERE, '../build');
// Without an adapter of its own the reference of outputs is ONNX Runtime's WebAssembly.
const PEERS = {
  ort_wasm_1: { module: 'ort', options: { provider: 'wasm', threads: 1 }, at: 'plain' },
  hone: { module: 'package', options: { backend: 'webgpu' } },
  hone_untuned: { module: 'package', options: { backend: 'webgpu', of: 'untuned' } },
  tinygrad: { module: 'tinygrad' },
};

const { values: options } = parseArgs({ options: { models: { type: 'string' }, rounds: { type: 'string', default: '5' },
  database: { type: 'string', default: path.join(BUILD, 'package.db') }, write: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);
const works = MODELS.filter(({ name }) => !options.models || options.models.split(',').includes(name)).map(work => ({ ...work, round_trip: true }));
if (works.length === 0) {
  log(`exports: there is no model "${options.models}"; there are: ${MODELS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const folder = temporaryFolder(), packages = path.join(folder, 'packages'), untuned = path.join(folder, 'untuned'), nets = path.join(folder, 'tinygrad');
prepareWorks(works, folder);
fs.mkdirSync(packages);
fs.mkdirSync(untuned);
const tinygrad = prepareTinygrad(path.join(BUILD, 'tinygrad'), log);
for (const work of works) {
  log(`exports: ${work.name}`);
  exportPackage(work, packages, { database: options.database, weights: 'f32', targets: 'webgpu' });
  exportPackage(work, untuned, { database: '', weights: 'f32', targets: 'webgpu' });
  work.made = exportWithTinygrad(tinygrad, work.path, path.join(nets, work.name));
  Object.assign(work, { package: `/models/packages/${work.name}/`, untuned: `/models/untuned/${work.name}/`, tinygrad: `/models/tinygrad/${work.name}/`,
    plans: { hone: plansOf(path.join(packages, work.name)), hone_untuned: plansOf(path.join(untuned, work.name)) } });
}

const browser = await openBrowser(folder);
let results;
try {
  results = await takeTurns({ browser, works, peers: PEERS, rounds: Number(options.rounds), log });
} finally {
  await browser.close();
}
const runner = path.join(HERE, 'peers/page/tinygrad_net.js');
const report = { version: browser.version, rounds: Number(options.rounds), tinygrad: tinygrad.version,
  works: works.map(work => summaryOf(work, results[work.name], { hone: path.join(packages, work.name), hone_untuned: path.join(untuned, work.name), tinygrad: path.join(nets, work.name), runner })) };
if (options.write) writePart(options.write, 'exports', markdown(report));
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else if (!options.write) console.log(markdown(report));
