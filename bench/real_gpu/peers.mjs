// hone's tuned kernels beside ONNX Runtime Web and TensorFlow.js on the same works, in turns in the browser that they were tuned in.
import os from 'node:os';
import { honeModel } from '../peers/hone_model.mjs';
import { kernelOf } from '../peers/tuning.mjs';
import { takeTurns } from '../peers/turns.mjs';
import { comparisonOf } from './comparison.mjs';

const RIVALS = { ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } }, tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } } };
const THREADS_MAX = 2;

// The first one's output is the reference of whole models.
const peersOf = (hone, folder) => ({
  ort_wasm: { module: 'ort', options: { provider: 'wasm', threads: Math.min(THREADS_MAX, os.availableParallelism()) }, only: work => Boolean(work.model) },
  hone: { module: 'hone', options: { schedule: 'best' }, only: work => !work.model },
  hone_model: { open: async () => honeModel(hone, folder), only: work => Boolean(work.model) },
  ...RIVALS,
});

// works: those that were tuned, for the device with this key. onCase: called with each work and its comparison.
export async function comparePeers(works, { hone, browser, folder, db, key, rounds, log, onCase }) {
  for (const work of works.filter(({ model }) => !model)) work.hone = { best: kernelOf(work, { target: 'webgpu', db, key, schedule: ['--schedule', 'best'] }) };
  const onTarget = (...args) => hone(...args, '--target', 'webgpu');
  await takeTurns({ browser, works, peers: peersOf(onTarget, folder), rounds, log,
    onWork: (work, results) => onCase(work, work.lost ? { ms: {}, failed: { hone: work.lost }, over_fastest: null } : comparisonOf(results)) });
}
