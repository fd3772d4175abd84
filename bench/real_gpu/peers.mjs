// hone's tuned kernels beside ONNX Runtime Web and TensorFlow.js on the same works, in turns in the browser that they were tuned in.
import os from 'node:os';
import { honeModel } from '../peers/hone_model.mjs';
import { overFastest } from '../peers/paired.mjs';
import { kernelOf } from '../peers/tuning.mjs';
import { takeTurns } from '../peers/turns.mjs';

const RIVALS = { ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } }, tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } } };
const THREADS_MAX = 2;

// The first one's output is the reference of whole models.
const peersOf = (hone, folder) => ({
  ort_wasm: { module: 'ort', options: { provider: 'wasm', threads: Math.min(THREADS_MAX, os.availableParallelism()) }, only: work => Boolean(work.model) },
  hone: { module: 'hone', options: { schedule: 'best' }, only: work => !work.model },
  hone_model: { open: async () => honeModel(hone, folder), only: work => Boolean(work.model) },
  ...RIVALS,
});

// {ms, failed} by name, hone's models as hone; over_fastest: how many times faster hone is than the faster rival, or null.
export function comparisonOf(results) {
  const known = Object.entries(results).map(([name, result]) => [name === 'hone_model' ? 'hone' : name, result]).filter(([name]) => name === 'hone' || name in RIVALS);
  const missing = ['hone', ...Object.keys(RIVALS)].filter(name => !known.some(([found]) => found === name)).map(name => [name, { failed: 'it does not start; why was said on stderr' }]);
  const having = key => Object.fromEntries([...known, ...missing].filter(([, result]) => result[key] !== undefined).map(([name, result]) => [name, result[key]]));
  const ms = having('ms');
  return { ms, failed: having('failed'), over_fastest: overFastest({ ms, samples: having('samples_ms') }, 'hone', Object.keys(RIVALS))?.over ?? null };
}

// works: those that were tuned, for the device with this key. onCase: called with each work and its comparison.
export async function comparePeers(works, { hone, browser, folder, db, key, rounds, log, onCase }) {
  for (const work of works.filter(({ model }) => !model)) work.hone = { best: kernelOf(work, { target: 'webgpu', db, key, schedule: ['--schedule', 'best'] }) };
  const onTarget = (...args) => hone(...args, '--target', 'webgpu');
  await takeTurns({ browser, works, peers: peersOf(onTarget, folder), rounds, log,
    onWork: (work, results) => onCase(work, work.lost ? { ms: {}, failed: { hone: work.lost }, over_fastest: null } : comparisonOf(results)) });
}
