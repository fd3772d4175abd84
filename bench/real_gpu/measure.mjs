// One case: tuned, verified, timed. `hone` runs one command on the service. What comes is a case of schema/cli/real_gpu.json, without its name.
import { tasksOf, tune } from '../peers/tuning.mjs';
import { bytesOf, cacheOf, leastOf } from './limits.mjs';

const TARGET = 'webgpu', ROUNDS = 5, RUNS = 10, RUNS_S_MAX = 20;

const positive = value => (value > 0 ? value : null);

const speedsOf = ({ flops, bytes, us }) => ({ gflops: positive(flops / us / 1e3), gb_s: bytes / us / 1e3 });
const against = (least, us) => ({ least_us: least?.us ?? null, bound_by: least?.by ?? null, share: least ? least.us / us : null });

// Of the fastest schedule: what hone found when it compared its output with the reference.
async function errorOf(hone, { task, device, source }) {
  const { records } = await hone('records', 'list', '--task', task, '--device', device);
  const errors = records.filter(record => record.source === source && record.outcome === 'ok').map(record => record.max_error);
  if (errors.length === 0) throw new Error(`no record says how far the result of ${source} was from the reference`);
  return Math.max(...errors);
}

function tunedTask({ tasks: [task] }, seconds) {
  if (task.best_ms > 0) return task;
  throw new Error(task.refusal ?? `no candidate has a time within ${seconds} s, found ${JSON.stringify(task.errors)}: give it more with --time`);
}

// The reference of a large operator takes minutes, once: a first candidate without limit has it made, so that the time is for the search.
async function tuneOperator(work, hone, { seconds, cache }) {
  const more = ['--cache', cache], how = { hone, target: TARGET, more };
  await tune(work, { ...how, seconds: 0 });
  return tune(work, { ...how, seconds });
}

async function operator(work, { hone, limits, seconds }) {
  const flops = work.flops ?? 0, bytes = bytesOf(work), least = leastOf({ flops, bytes }, limits), cache = cacheOf(least);
  const { device, ...tuned } = await tuneOperator(work, hone, { seconds, cache }), task = tunedTask(tuned, seconds);
  const { schedules } = await hone('bench', '--op', work.path, '--target', TARGET, '--schedules', 'best,seed', '--cache', cache, '--rounds', String(ROUNDS));
  const [best, seed = best] = schedules, us = best.us_median;   // one of both names where the seed is the best
  if (!(us > 0)) throw new Error(best.message);
  const max_error = await errorOf(hone, { task: task.id, device: device.key, source: best.source }), naive_us = task.naive_estimated ? null : positive(task.naive_ms * 1e3);
  const row = { kind: 'operator', cache, tasks: 1, trials: tuned.trials, flops, bytes, us, seed_us: positive(seed.us_median), naive_us, run_us: null, max_error };
  return { device, row: { ...row, ...speedsOf(row), ...against(least, us) } };
}

const medianUs = variant => positive((variant?.kernel_ms_median ?? variant?.model_ms_median ?? 0) * 1e3);

// Its time is that of the kernels by the device's clock, where there is one; run_us is what a caller waits for.
async function model(work, { hone, limits, seconds }) {
  const tasks = tasksOf(work, TARGET), { device, trials } = await tune(work, { hone, target: TARGET, seconds: tasks * seconds });
  const run = await hone('run', work.path, '--check', '--target', TARGET);
  const { variants } = await hone('bench', work.path, '--target', TARGET, '--schedule', 'best,seed', '--runs', String(RUNS), '--time', String(RUNS_S_MAX));
  const of = kind => variants.find(({ schedule }) => schedule === kind), us = medianUs(of('best')), run_us = of('best')?.model_ms_median * 1e3;
  if (us === null) throw new Error(of('best')?.skipped ?? 'its best schedules have no times');
  const { flops } = work, bytes = run.memory.constant_bytes + bytesOf(work), max_error = run.check.max_error;
  const row = { kind: 'model', cache: 'model', tasks, trials, flops, bytes, us, seed_us: medianUs(of('seed')), naive_us: null, run_us, max_error };
  return { device, row: { ...row, ...speedsOf(row), ...against(leastOf({ flops, bytes }, limits), us) } };
}

export const measureCase = (work, how) => (work.model ? model : operator)(work, how);
