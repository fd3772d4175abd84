// scripts/bench replay: the best schedules of each device, run on every other one: how fast are they beside that device's own? Chromium, Firefox and Dawn in
// Node.js, headless, on software; on each work all devices take turns with all schedules. Medians. Tuning goes on from the records of the last run.
//   --devices a,b (chromium,firefox,dawn)   --works a,b (all operators)   --rounds N (5)   --time S of tuning for each operator on each device (20; 0: none)
//   --db FILE (build/gpu.db)   --write FILE: its part of a document, e.g. docs/benchmarks.md   --json
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hone as compile, temporaryFolder } from './hone.mjs';
import { writePart } from './peers/parts.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { geometricMean } from './peers/report.mjs';
import { takeTurns } from './peers/turns.mjs';
import { kernelOf, tune } from './peers/tuning.mjs';
import { OPERATORS } from './peers/works.mjs';
import { startService } from './service.mjs';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../build'), TARGET = 'webgpu';
const KINDS = { chromium: 'chromium-webgpu', firefox: 'firefox-webgpu', dawn: 'node-webgpu' };
const TITLES = { chromium: 'Chromium', firefox: 'Firefox', dawn: 'Dawn in Node.js' };

const { values: options } = parseArgs({ options: { devices: { type: 'string', default: Object.keys(KINDS).join() }, works: { type: 'string' },
  rounds: { type: 'string', default: '5' }, time: { type: 'string', default: '20' }, db: { type: 'string', default: path.join(BUILD, 'gpu.db') },
  write: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);
const devices = options.devices.split(',').filter(name => KINDS[name]);
const works = OPERATORS.filter(work => !options.works || options.works.split(',').includes(work.name));
if (devices.length === 0 || works.length === 0) {
  log(`replay: nothing to do; devices are: ${Object.keys(KINDS).join(', ')}; works are: ${OPERATORS.map(work => work.name).join(', ')}`);
  process.exit(2);
}

const pairs = devices.flatMap(tuned => devices.map(run => ({ tuned, run, name: `${tuned} on ${run}` })));

// The file of the device's best schedule, and the device's key.
async function tuneOn(device, work, hone, folder) {
  log(`replay: ${work.name} on ${device}`);
  const report = await tune(work, { hone, target: TARGET, seconds: Number(options.time), more: ['--device', KINDS[device]] });
  const [{ id }] = report.tasks, { key } = report.device, { best } = compile('records', 'best', '--db', options.db, '--task', id, '--device', key);
  const file = path.join(folder, `${work.name}.${device}.json`);
  fs.writeFileSync(file, JSON.stringify(best[0].trace));
  return { key, schedule: ['--trace', file] };
}

// work.hone: each pair's kernel. One whose schedule asks for more than the device has is left out, and said in work.refused.
async function prepareKernels(work, hone, folder) {
  const tuned = {};
  for (const device of devices) tuned[device] = await tuneOn(device, work, hone, folder);
  work.hone = {};
  work.refused = [];
  for (const pair of pairs) {
    try {
      work.hone[pair.name] = kernelOf(work, { target: TARGET, db: options.db, key: tuned[pair.run].key, schedule: tuned[pair.tuned].schedule });
    } catch {
      work.refused.push(pair.name);
    }
  }
}

async function measure(folder) {
  const service = await startService(options.db), browsers = {};
  try {
    for (const device of devices) {
      browsers[device] = await openBrowser(folder, device);
      await browsers[device].openAgent(service.url);
    }
    for (const work of works) await prepareKernels(work, service.hone, folder);
    const peers = Object.fromEntries(pairs.map(({ name, run }) => [name, { module: 'hone', options: { schedule: name }, browser: browsers[run], only: work => Boolean(work.hone[name]) }]));
    const results = await takeTurns({ works, peers, rounds: Number(options.rounds), log });
    return { versions: Object.fromEntries(devices.map(device => [device, browsers[device].version])), results };
  } finally {
    for (const browser of Object.values(browsers)) await browser.close();
    await service.close();
  }
}

// Speed beside the device's own schedules: the geometric mean, the worst case, and where it does not run.
function summaryOf({ tuned, run, name }, results) {
  const speeds = works.flatMap(work => {
    const own = results[work.name][`${run} on ${run}`]?.ms, replayed = results[work.name][name]?.ms;
    return own && replayed ? [{ work: work.name, speed: own / replayed }] : [];
  });
  const fails = works.filter(work => !results[work.name][name]?.ms).map(work => work.name);
  return { tuned, run, mean: geometricMean(speeds.map(({ speed }) => speed)), worst: speeds.reduce((a, b) => (b.speed < a.speed ? b : a), { speed: Infinity }), speeds, fails };
}

const line = cells => `| ${cells.join(' | ')} |\n`;

function markdown({ versions, rounds, pairs: found }) {
  const cell = (tuned, run) => {
    const { mean, worst, fails } = found.find(pair => pair.tuned === tuned && pair.run === run);
    if (!mean) return 'fails';
    return `${mean.toFixed(2)}${tuned === run ? '' : `; ${worst.speed.toFixed(2)} (${worst.work})`}${fails.length ? `; ${fails.length} not run` : ''}`;
  };
  const failures = found.filter(({ fails }) => fails.length).map(({ tuned, run, fails }) => `\n- tuned in ${TITLES[tuned]}, run in ${TITLES[run]}, not run: ${fails.join(', ')}`);
  return `## Schedules of one device on another\nWritten by \`scripts/bench replay\`: ${devices.map(device => `${TITLES[device]} ${versions[device]}`).join(', ')}; WebGPU on software (SwiftShader; Firefox: lavapipe), ${works.length} operators, `
    + `medians of ${rounds} rounds in turns. The speed of the best schedules of one device, run on another, beside that device's own: geometric mean; worst.\n\n`
    + line(['tuned in \\ run in', ...devices.map(device => TITLES[device])]) + line(Array(devices.length + 1).fill('---'))
    + devices.map(tuned => line([TITLES[tuned], ...devices.map(run => cell(tuned, run))])).join('') + failures.join('');
}

const folder = temporaryFolder();
prepareWorks(works, folder);
fs.mkdirSync(path.dirname(options.db), { recursive: true });
const { versions, results } = await measure(folder);
const report = { versions, rounds: Number(options.rounds), pairs: pairs.map(pair => summaryOf(pair, results)),
  works: works.map(work => ({ name: work.name, ms: Object.fromEntries(Object.entries(results[work.name]).map(([name, { ms }]) => [name, ms])), refused: work.refused })) };
if (options.write) writePart(options.write, 'replay', markdown(report));
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else if (!options.write) console.log(markdown(report));
