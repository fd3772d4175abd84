// Tuning of works on a service's device, going on from its records, and the kernels that came of it.
import { hone as compile } from '../hone.mjs';

const TRIALS_MAX = '4096';  // the time is what ends a run

const sourceOf = work => (work.model ? [work.path] : ['--op', work.path]);

// `hone` runs one command on the service; `more`: further options of hone tune, whose answer this is. Without seconds no more than a first schedule is measured.
export function tune(work, { hone, target, seconds, more = [] }) {
  const length = seconds > 0 ? ['--trials', TRIALS_MAX, '--time', String(seconds)] : ['--trials', '1'];
  return hone('tune', ...sourceOf(work), '--target', target, ...length, ...more);
}

export const tasksOf = (work, target) => compile('compile', ...sourceOf(work), '--target', target, '--dump', 'te').length;

// An operator's kernel for the device with this key; `schedule` is ['--schedule', 'best'] or ['--trace', FILE].
export const kernelOf = (work, { target, db, key, schedule }) =>
  compile('compile', ...sourceOf(work), '--target', target, '--db', db, '--device', key, ...schedule, '--dump', 'source')[0].source;
