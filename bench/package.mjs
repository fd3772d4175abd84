// scripts/bench package: packages of hone export against ONNX Runtime Web, TensorFlow.js and LiteRT.js on whole models, in one headless browser, in turns.
// A run is what an application pays: inputs up, outputs back. Medians. Each package's start, thread, host work and choice are measured beside that.
// In Chromium its WebGPU takes turns with the same package in Dawn in Node.js, too; --against dawn does nothing else, and writes a part of its own.
// --against none leaves the others out, and compares the sizes and errors of the weights' types.
//   --browser chromium | firefox: WebGPU   --models a,b (all)   --backends webgpu,webgl,wasm (all; Firefox: webgpu)   --rounds N (3)
//   --database FILE of records (build/package.db; where there is none: schedules without tuning)   --weights f32, f16   --link MBIT/S for starts (100)
//   --against all | dawn | none (all)   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';
import { orLost } from './peers/lasting_browser.mjs';
import { REFERENCE, WANTED, backendOf, contestsOf, peersOf } from './peers/package_contests.mjs';
import { IN_BROWSER, dawnPeer } from './peers/package_dawn.mjs';
import { hostOf, measurePackage, noting } from './peers/package_measures.mjs';
import { ERROR_MAX, barsOf, dawnMarkdown, markdown, storedMarkdown, summaryOf } from './peers/package_report.mjs';
import { exportPackage, gzipBytes, launchesOnGpus, plansOf, weightBytes } from './peers/packages.mjs';
import { writePart } from './peers/parts.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { takeTurns } from './peers/turns.mjs';
import { MODELS } from './peers/works.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build');

const { values: options } = parseArgs({ options: { browser: { type: 'string', default: 'chromium' }, models: { type: 'string' }, backends: { type: 'string' },
  rounds: { type: 'string', default: '3' }, database: { type: 'string', default: path.join(BUILD, 'package.db') }, weights: { type: 'string', default: 'f32' },
  link: { type: 'string', default: '100' }, against: { type: 'string', default: 'all' }, write: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);
const refuse = (what, found, all) => {
  log(`package: there is no ${what} "${found}"; there are: ${all.join(', ')}`);
  process.exit(2);
};
// Those of `all` that the option names.
const chosen = (what, option, all) => {
  const names = option?.split(',') ?? all;
  for (const name of names) if (!all.includes(name)) refuse(what, name, all);
  return names;
};

chosen('type of weights', options.weights, Object.keys(ERROR_MAX));
const wanted = WANTED[options.browser] ?? refuse('browser', options.browser, Object.keys(WANTED));
const models = chosen('model', options.models, MODELS.map(({ name }) => name));
chosen('side', options.against, ['all', 'dawn', 'none']);
const dawnAlone = options.against === 'dawn', alone = options.against === 'none';
const backends = dawnAlone ? ['webgpu'] : chosen('backend', options.backends ?? wanted.backends.join(','), WANTED.chromium.backends);
const threads = Math.min(2, os.availableParallelism());
const contests = Object.fromEntries(Object.entries(contestsOf(threads)).filter(([group]) => backends.includes(backendOf(group)) && !dawnAlone));
const inContest = new Set([REFERENCE, ...(dawnAlone ? [IN_BROWSER] : []), ...Object.values(contests).flatMap(({ own, rivals }) => [own, ...(alone ? [] : rivals)])]);
const peers = Object.fromEntries(Object.entries(peersOf(threads)).filter(([name]) => inContest.has(name)));
const works = MODELS.filter(({ name }) => models.includes(name)).map(work => ({ ...work, round_trip: true, tolerance: Math.max(1e-3, ERROR_MAX[options.weights]) }));

const folder = temporaryFolder(), packages = path.join(folder, 'packages'), unmeasured = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(packages);
for (const work of works) {
  log(`package: exporting ${work.name}`);
  exportPackage(work, packages, { database: options.database, weights: options.weights });
  Object.assign(work, { package: `/models/packages/${work.name}/`, folder: path.join(packages, work.name, '/'), linked: `/linked/${work.name}/`, plans: plansOf(path.join(packages, work.name)),
    gpu_launches: launchesOnGpus(work, unmeasured), weight_bytes: weightBytes(path.join(packages, work.name)), weight_bytes_f32: weightBytes(path.join(unmeasured, work.name)) });
}

const browser = await openBrowser(folder, options.browser, { linked: packages, bits_per_second: Number(options.link) * 1e6 });
const dawn = options.browser === 'chromium' && backends.includes('webgpu') && !alone ? await openBrowser(folder, 'dawn') : undefined;
const measures = {};
let results;
async function measure(work) {
  const measureAll = dawnAlone ? async () => ({ host: { webgpu: await hostOf(browser, work, 'webgpu') } }) : () => measurePackage(browser, work, { backends, collects: options.browser === 'chromium', log });
  measures[work.name] = await orLost(work, measureAll, browser.renew, log);
  if (dawn && !work.lost) measures[work.name].host.dawn = await noting(`${work.name} host dawn`, { browser: dawn, log }, () => hostOf(dawn, work, 'webgpu'));
}
try {
  log('package: starts and host work');
  for (const work of alone ? [] : works) await measure(work);
  log('package: turns');
  results = await takeTurns({ browser, works: works.filter(({ lost }) => !lost), peers: { ...peers, ...(dawn && dawnPeer(dawn)) }, rounds: Number(options.rounds), log });
} finally {
  await browser.close();
  await dawn?.close();
}
const report = { browser: options.browser, version: browser.version, rounds: Number(options.rounds), threads, backends, weights: options.weights, link_mbit_s: Number(options.link),
  runtime_gzip_bytes: gzipBytes(path.join(packages, works[0].name)), works: works.map(work => summaryOf(work, { contests, results: results[work.name], measures: measures[work.name] })) };
report.bars = barsOf(report, contests, wanted.least);
const part = dawnAlone ? 'package dawn' : alone ? `package ${options.weights}` : options.browser === 'chromium' ? 'package' : `package ${options.browser}`;
const text = dawnAlone ? dawnMarkdown(report) : alone ? storedMarkdown(report, contests) : markdown(report, contests);
if (options.write) writePart(options.write, part, text);
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else if (!options.write) console.log(text);
