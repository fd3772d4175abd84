// What a package does beside its turns: its start on each backend, its memory, what 'auto' settles on, and the host's work in a run.
import { median } from '../median.mjs';
import { limited } from './limited.mjs';
import { overFastest } from './paired.mjs';

const STEP_MS_MAX = 180000, CLOCK_MS = 2000, CLOCK_RUNS_MAX = 50, CLOCK_RUNS_MIN = 3, PLAN_ROUNDS = 3, ACTIVATIONS_SHARE = 1.15, CHUNK_BYTES = 4 * 2 ** 20;

async function withPage(browser, module, work) {
  const page = await browser.page();
  try {
    await page.load(`/page/${module}.js`);
    return await work({ call: (...args) => limited(page.call(...args), STEP_MS_MAX, args[0]) });
  } finally {
    await page.close();
  }
}

// What step() gives, or {failed} where it does not, unless it is the browser that no longer answers.
export async function noting(what, { browser, log }, step) {
  try {
    return await step();
  } catch (error) {
    if (!(await browser.answers())) throw error;
    const failed = String(error?.message ?? error).split('\n')[0].slice(0, 300);
    log(`  ${what}: ${failed}`);
    return { failed };
  }
}

const planOf = (plans, { backend, plan }) => plans.find(one => one.backend === backend && one.made_for === plan);

// A start over the link with nothing kept, and the kernels of the plan that ran one by one. page.load waits for nothing of the package.
async function startOf(browser, work, backend) {
  const said = await withPage(browser, 'package_load', page => page.call('measure', { ...work, package: work.linked }, backend));
  const plan = planOf(work.plans, said.first);
  const slowest_pipeline_ms = await withPage(browser, 'package_pipelines', page => page.call('slowest', plan.backend, work.package + plan.plan, work.package + plan.kernels));
  const floor_ms = Math.max(said.download_ms, slowest_pipeline_ms);
  return { ...said, slowest_pipeline_ms, over_floor: said.first_result_ms / floor_ms };
}

// Of each run what is not the kernels' own time, and beside it a round trip that does nothing; medians.
export async function hostOf(browser, work, backend) {
  const empty_ms = median(await withPage(browser, 'empty_trip', page => page.call('measure', backend)));
  const found = await withPage(browser, 'package_clock', async page => {
    await page.call('init', { backend });
    await page.call('prepare', work, backend);
    const [first] = await page.call('runs', 1);
    const k = Math.min(CLOCK_RUNS_MAX, Math.max(CLOCK_RUNS_MIN, Math.round(CLOCK_MS / first.run_ms)));
    const all = await page.call('runs', k);
    await page.call('dispose');
    return { ms: median(all.map(({ run_ms, kernel_ms }) => run_ms - kernel_ms)), share: median(all.map(({ run_ms, kernel_ms }) => 1 - kernel_ms / run_ms)) };
  });
  return { ...found, empty_ms };
}

// The most that the package holds while it loads and runs, and what it may: its weights, its planned activations with 15 % more, and one chunk.
async function memoryOf(browser, work, backend) {
  const { load_bytes, run_bytes, used } = await withPage(browser, 'package_memory', page => page.call('measure', work, backend));
  const { weight_bytes, activation_bytes } = planOf(work.plans, used);
  return { load_bytes, run_bytes, bound_bytes: boundOf({ weight_bytes, activation_bytes }) };
}

export const boundOf = ({ weight_bytes, activation_bytes }) => weight_bytes + ACTIVATIONS_SHARE * activation_bytes + CHUNK_BYTES;

// How many times longer the plan that 'auto' settled on takes than the fastest of the package. samples: of each plan.
export function choiceOf(plans, used, samples) {
  const { plan: file } = planOf(plans, used), ms = Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, median(all)]));
  const fastest = Object.keys(ms).sort((a, b) => ms[a] - ms[b])[0], found = overFastest({ ms, samples }, fastest, [file]);
  if (!found) throw new Error(`the chosen plan, ${used.plan} for ${used.backend}, did not run again`);
  return { ...used, over_best: found.over, ms: plans.filter(({ plan }) => ms[plan]).map(({ plan, backend, made_for }) => ({ backend, made_for, ms: ms[plan] })) };
}

async function chosenOf(browser, work, { used, failed }) {
  if (!used) throw new Error(failed);
  const samples = await withPage(browser, 'package_plans', async page => {
    await page.call('init');
    return page.call('measure', work, PLAN_ROUNDS);
  });
  return choiceOf(work.plans, used, samples);
}

// work.package, work.linked: the package's path on the server, plainly and over the link; work.plans as packages.mjs has them.
// collects: whether pages of this browser may collect garbage, without which memory tells nothing.
export async function measurePackage(browser, work, { backends, collects, log = () => {} }) {
  const starts = {}, host = {}, memory = {}, context = { browser, log };
  for (const backend of backends) {
    starts[backend] = await noting(`${work.name} start ${backend}`, context, () => startOf(browser, work, backend));
    host[backend] = await noting(`${work.name} host ${backend}`, context, () => hostOf(browser, work, backend));
    if (collects) memory[backend] = await noting(`${work.name} memory ${backend}`, context, () => memoryOf(browser, work, backend));
  }
  starts.auto = await noting(`${work.name} start auto`, context, () => startOf(browser, work, 'auto'));
  const chosen = await noting(`${work.name} plans`, context, () => chosenOf(browser, work, starts.auto));
  return { starts, host, memory, chosen };
}
