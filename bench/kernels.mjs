// scripts/bench kernels: hone's kernels, untuned and tuned from an empty store, against hand-written WGSL, ONNX Runtime Web and
// TensorFlow.js on the same operators, all in one headless Chromium in turns. Medians.
//   --trials N (64)   --rounds N (5)   --works a,b   --json
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { hone, temporaryFolder } from './hone.mjs';
import { openBrowser, prepareWorks } from './peers/prepare.mjs';
import { takeTurns } from './peers/turns.mjs';
import { kernelOf } from './peers/tuning.mjs';
import { OPERATORS } from './peers/works.mjs';

const NAIVE_HAND = '8x8 t1x1 fix', BEST_HAND = '8x8 t8x2v4 k4 fix';
const isMatmul = work => work.node.type === 'MatMul';
const WORKS = OPERATORS.filter(({ name }) => name === 'matmul_512' || /^conv_.*_3x3$/.test(name));
const PEERS = {
  hone_naive: { module: 'hone', options: { schedule: 'naive' } },
  hone_best: { module: 'hone', options: { schedule: 'best' } },
  hand_naive: { module: 'hand', options: { config: NAIVE_HAND }, only: isMatmul },
  hand_best: { module: 'hand', options: { config: BEST_HAND }, only: isMatmul },
  ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } },
  tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } },
};

const { values: options } = parseArgs({ options: { trials: { type: 'string', default: '64' }, rounds: { type: 'string', default: '5' },
  works: { type: 'string' }, json: { type: 'boolean', default: false } } });
const log = text => console.error(text);

// Tunes the work in a store of its own and adds its naive and best kernels to it.
function tune(work, folder) {
  const db = path.join(folder, `${work.name}.db`);
  log(`kernels: tuning ${work.name}, ${options.trials} trials`);
  const report = hone('tune', '--op', work.path, '--trials', options.trials, '--db', db);
  const kernel = schedule => kernelOf(work, { target: 'webgpu', db, key: report.device.key, schedule: ['--schedule', schedule] });
  work.hone = { naive: kernel('naive'), best: kernel('best') };
  const { trials, naive_ms, seed_ms, best_ms, trials_to_95 } = report.tasks[0];
  return { trials, naive_ms, seed_ms, best_ms, trials_to_95, tune_s: report.wall_s };
}

function summary(work, tuned, results) {
  const of = key => Object.fromEntries(Object.entries(results).filter(([, r]) => r[key]).map(([name, r]) => [name, r[key]]));
  const ms = of('ms'), peer_ms = Math.min(ms.ort_webgpu ?? Infinity, ms.tfjs_webgpu ?? Infinity);
  const ratio = (a, b) => (a && b && Number.isFinite(a) ? a / b : null);
  return { name: work.name, ms, gflops: of('gflops'), failed: of('failed'), tuned,
    best_over_faster_peer: ratio(peer_ms, ms.hone_best), naive_over_hand_naive: ratio(ms.hand_naive, ms.hone_naive),
    best_over_hand_best: ratio(ms.hand_best, ms.hone_best) };
}

function print(report) {
  const names = Object.keys(PEERS), cell = (text, width) => String(text).padStart(width);
  console.log(`GFLOP/s, ${report.browser}, medians of ${report.rounds} rounds\n`);
  console.log('operator'.padEnd(18) + names.map(name => cell(name, 13)).join(''));
  for (const work of report.works)
    console.log(work.name.padEnd(18) + names.map(name => cell(work.gflops[name]?.toFixed(2) ?? '–', 13)).join(''));
  console.log();
  for (const work of report.works) {
    const parts = [['best_over_faster_peer', 'tuned against the faster of ORT and TF.js', 6], ['naive_over_hand_naive', `naive against "${NAIVE_HAND}"`, 0.9],
      ['best_over_hand_best', `tuned against "${BEST_HAND}"`, 0.85]];
    for (const [key, text, bar] of parts)
      if (work[key] !== null) console.log(`${work.name.padEnd(18)} ${text}: ${work[key].toFixed(2)}x (target: ${bar})${work[key] >= bar ? '' : '  BELOW'}`);
  }
}

const works = WORKS.filter(work => !options.works || options.works.split(',').includes(work.name));
const folder = temporaryFolder();
prepareWorks(works, folder);
const tuned = Object.fromEntries(works.map(work => [work.name, tune(work, folder)]));
const browser = await openBrowser(folder);
const results = await takeTurns({ browser, works, peers: PEERS, rounds: Number(options.rounds), log }).finally(browser.close);
const report = { browser: `Chromium ${browser.version}`, rounds: Number(options.rounds), trials: Number(options.trials),
  works: works.map(work => summary(work, tuned[work.name], results[work.name])) };
if (options.json) fs.writeSync(1, `${JSON.stringify(report)}\n`);
else print(report);
