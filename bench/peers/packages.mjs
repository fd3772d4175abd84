// Packages of the works, and what their files say without running.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { PROGRAM } from '../hone.mjs';

// What every package has, whatever the model: all backends.
const RUNTIME = ['index.js', 'worker.js', 'runtime.wasm'];

const json = file => JSON.parse(fs.readFileSync(file, 'utf8'));

// Exports the work to folder/<name>, from the database where there is one, else with the schedules that tasks have without tuning.
export function exportPackage(work, folder, { database, weights, targets }) {
  const records = fs.existsSync(database) ? ['--db', path.resolve(database)] : [];
  const stored = ['--out', path.join(folder, work.name), '--weights', weights, ...(targets ? ['--targets', targets] : [])];
  execFileSync(PROGRAM, ['export', work.path, ...stored, ...records, '--json', '--quiet'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

// The most launches of a run on GPUs that nobody has measured, where each counts as the 50 µs that drivers take (target::kLaunchUs): {webgpu, webgl}.
export function launchesOnGpus(work, folder) {
  exportPackage(work, folder, { database: '', weights: 'f32' });
  const plans = plansOf(path.join(folder, work.name));
  return Object.fromEntries(['webgpu', 'webgl'].map(backend => [backend, Math.max(...plans.filter(plan => plan.backend === backend).map(({ launches }) => launches))]));
}

export const gzipBytes = folder => RUNTIME.reduce((sum, file) => sum + zlib.gzipSync(fs.readFileSync(path.join(folder, file)), { level: 9 }).length, 0);

// Each plan of a package: {backend, made_for, tuned, tasks, plan and kernels: their files, launches: of a run after the first, weight_bytes and
// activation_bytes: as its kernels read them}.
export function plansOf(folder) {
  return json(path.join(folder, 'manifest.json')).plans.map(({ backend, made_for, tuned, tasks, plan: { file }, kernels, memory_bytes }) => {
    const { launches, weights } = json(path.join(folder, file)), weight_bytes = weights.reduce((sum, { bytes }) => sum + bytes, 0);
    return { backend, made_for, tuned, tasks, plan: file, kernels: kernels.file, launches: launches.filter(({ ahead }) => ahead !== true).length, weight_bytes,
      activation_bytes: memory_bytes - weight_bytes };
  });
}

// Of the files that hold a package's weights.
export const weightBytes = folder => json(path.join(folder, 'manifest.json')).chunks.reduce((sum, { bytes }) => sum + bytes, 0);
