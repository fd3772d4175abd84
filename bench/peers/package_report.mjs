// What scripts/bench package found, as data and as Markdown.
import { backendOf } from './package_contests.mjs';
import { dawnOf } from './package_dawn.mjs';
import { overFastest } from './paired.mjs';
import { geometricMean } from './report.mjs';

const RUNTIME_BYTES_MAX = 45 * 1024, HOST_SHARE_MAX = 0.05, HOST_MS_MAX = 1, START_MAX = 1.5, TASK_MS_MAX = 50, CHOICE_MAX = 1.05, OVER_DAWN_MAX = 1.1;
const LAUNCHES_MAX = { resnet18: 24, mobilenetv2: 56, encoder: 24 };   // on GPUs; the encoder has two layers
const NAMES = { ort: 'ONNX Runtime Web', tfjs: 'TensorFlow.js', litert: 'LiteRT.js' };
export const ERROR_MAX = { f32: 1e-4, f16: 2e-2 };
const having = (results, key) => Object.fromEntries(Object.entries(results).filter(([, result]) => result[key] !== undefined).map(([name, result]) => [name, result[key]]));

export function summaryOf(work, { contests, results = {}, measures = {} }) {
  const ms = having(results, 'ms'), samples = having(results, 'samples_ms'), { starts = {}, host = {}, memory = {}, chosen = {} } = measures;
  const over = Object.fromEntries(Object.entries(contests).map(([group, { own, rivals }]) => [group, overFastest({ ms, samples }, own, rivals)]));
  return { name: work.name, ms, over, error: having(results, 'error'), failed: { ...having(results, 'failed'), ...(work.lost && { hone: work.lost }) }, plans: work.plans, gpu_launches: work.gpu_launches,
    weight_bytes: work.weight_bytes, weight_bytes_f32: work.weight_bytes_f32, starts, host,
    memory, chosen, dawn: dawnOf(results, { browser: host.webgpu, dawn: host.dawn }) };
}

const times = value => `${value.toFixed(2)}×`;
const percent = value => `${(100 * value).toFixed(1)} %`;
const bar = (text, value, { least, most, show }) => ({ text, value, found: show(value), target: least === undefined ? `≤ ${show(most)}` : `≥ ${show(least)}`,
  met: least === undefined ? value <= most : value >= least });

function speedBars(works, contests, least) {
  return Object.entries(contests).flatMap(([group, { text }]) => {
    const rows = works.filter(({ over }) => over[group]), all = rows.map(({ over }) => over[group].over), missing = works.length - rows.length;
    if (rows.length === 0) return [];
    const left = missing > 0 ? ` (${missing} of ${works.length} left out)` : '', worst = rows[all.indexOf(Math.min(...all))];
    return [bar(`${text}: geometric mean${left}`, geometricMean(all), { least: least[backendOf(group)], show: times }),
      bar(`${text}: the least, ${worst.name}`, Math.min(...all), { least: 1, show: times })];
  });
}

// Of all works the one with the greatest value of `of`.
function worstOf(works, of) {
  const known = works.map(work => ({ work, value: of(work) })).filter(({ value }) => Number.isFinite(value));
  return known.sort((a, b) => b.value - a.value)[0];
}

const isHostMet = ({ ms, share }) => ms <= HOST_MS_MAX || share <= HOST_SHARE_MAX;

function hostBars(works, backends) {
  return backends.flatMap(backend => {
    const worst = worstOf(works, ({ host }) => { const { ms, share } = host[backend] ?? {}; return Math.min(ms / HOST_MS_MAX, share / HOST_SHARE_MAX); });
    if (!worst) return [];
    const { ms, share } = worst.work.host[backend];
    return [{ text: `host work of a run, ${backend}: ${worst.work.name}`, value: ms, found: `${ms.toFixed(2)} ms, ${percent(share)}`, target: `≤ ${HOST_MS_MAX} ms or ≤ ${percent(HOST_SHARE_MAX)}`,
      met: isHostMet({ ms, share }) }];
  });
}

const peakOf = ({ load_bytes, run_bytes } = {}) => Math.max(load_bytes, run_bytes);
const megabytes = value => `${(value / 1e6).toFixed(1)} MB`;

// Of each backend the model that is nearest to what it may hold, or furthest beyond.
function memoryBars(works, backends) {
  return backends.flatMap(backend => {
    const worst = worstOf(works, ({ memory }) => peakOf(memory[backend]) / memory[backend]?.bound_bytes);
    return worst ? [bar(`most memory, ${backend}: ${worst.work.name}`, peakOf(worst.work.memory[backend]), { most: worst.work.memory[backend].bound_bytes, show: megabytes })] : [];
  });
}

const worstBar = (works, of, text, how) => {
  const worst = worstOf(works, of);
  return worst ? [bar(`${text}: ${worst.work.name}`, worst.value, how)] : [];
};

const dawnBars = works => worstBar(works, ({ dawn }) => dawn?.over, 'WebGPU in Chromium against Dawn in Node.js, same plan and adapter', { most: OVER_DAWN_MAX, show: times });

const longestTask = ({ starts }) => Math.max(...Object.values(starts).map(({ longest_task_ms }) => longest_task_ms ?? -Infinity));
const ownError = ({ error }) => Math.max(...Object.entries(error).filter(([name]) => name.startsWith('hone')).map(([, value]) => value));

const exponent = value => value.toExponential(1);
const errorBars = (works, weights) => worstBar(works, ownError, 'largest error, of the range', { most: ERROR_MAX[weights], show: exponent });

// {text, value, found, target, met} of all that was measured.
export function barsOf({ works, backends, weights, runtime_gzip_bytes }, contests, least) {
  const kilobytes = value => `${(value / 1024).toFixed(1)} KB`;
  return [
    ...speedBars(works, contests, least),
    bar('runtime of all backends, gzip', runtime_gzip_bytes, { most: RUNTIME_BYTES_MAX, show: kilobytes }),
    ...hostBars(works, backends),
    ...memoryBars(works, backends),
    ...works.filter(({ name }) => LAUNCHES_MAX[name]).flatMap(({ name, gpu_launches }) => Object.entries(gpu_launches)
      .map(([backend, launches]) => bar(`launches where one costs 50 µs, ${backend}: ${name}`, launches, { most: LAUNCHES_MAX[name], show: String }))),
    ...[...backends, 'auto'].flatMap(backend => worstBar(works, ({ starts }) => starts[backend]?.over_floor, `first result against the slower of download and slowest kernel, ${backend}`, { most: START_MAX, show: times })),
    ...worstBar(works, longestTask, 'longest task of the page while a package starts', { most: TASK_MS_MAX, show: value => `${taskTime(value)} ms` }),
    ...worstBar(works, ({ chosen }) => chosen.over_best, 'the chosen plan against the fastest of the package', { most: CHOICE_MAX, show: times }),
    ...dawnBars(works),
    ...errorBars(works, weights),
  ];
}

const titleOf = browser => (browser === 'chromium' ? 'Chromium' : 'Firefox');
const number = value => (value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const line = cells => `| ${cells.join(' | ')} |\n`;
const table = (heads, rows) => line(heads) + line(heads.map(() => '---')) + rows.map(line).join('');

// A row for each model and group; the rivals of a group are named alike: ort_…, tfjs_….
function timesTable(works, contests) {
  const kinds = [...new Set(Object.values(contests).flatMap(({ rivals }) => rivals).map(name => name.split('_')[0]))];
  const cell = ({ ms, failed }, name) => (ms[name] ? number(ms[name]) : failed[name] ? 'fails' : '–');
  const rowOf = (work, [group, { own, rivals }]) => [work.name, group, cell(work, own), ...kinds.map(kind => cell(work, rivals.find(name => name.startsWith(`${kind}_`)))),
    work.over[group] ? times(work.over[group].over) : '–'];
  return table(['ms', 'backend', 'hone', ...kinds.map(kind => NAMES[kind]), 'speed-up over the fastest'],
    works.flatMap(work => Object.entries(contests).map(contest => rowOf(work, contest))));
}

// Browsers tell of tasks from 50 ms on.
const taskTime = value => (value === 0 ? '< 50' : number(value ?? undefined));

const ratio = value => (value === undefined ? '–' : times(value));

function startsTable(works, backends) {
  const rowOf = (work, backend) => {
    const start = work.starts[backend] ?? {}, host = work.host[backend], memory = work.memory[backend];
    return [work.name, start.used && backend === 'auto' ? `auto: ${start.first.backend}, then ${start.used.backend}` : backend, number(start.first_result_ms), number(start.download_ms),
      number(start.slowest_pipeline_ms), ratio(start.over_floor), taskTime(start.longest_task_ms), host?.ms === undefined ? '–' : `${number(host.ms)} ms, ${percent(host.share)}`, number(host?.empty_ms),
      memory?.bound_bytes === undefined ? '–' : `${megabytes(peakOf(memory))} of ${megabytes(memory.bound_bytes)}`];
  };
  return table(['model', 'backend', 'first result, ms', 'download, ms', 'slowest kernel, ms', 'over the slower', 'longest task, ms', 'host work of a run', 'an empty round trip, ms', 'most memory'],
    works.flatMap(work => [...backends, 'auto'].map(backend => rowOf(work, backend))));
}

const kernelShare = host => (host?.share === undefined ? '–' : percent(1 - host.share));

function dawnTable(works) {
  const rows = works.filter(({ dawn }) => dawn?.over).map(({ name, dawn: { ms, dawn_ms, over, host, adapter } }) =>
    [name, number(ms), number(dawn_ms), times(over), kernelShare(host.browser), kernelShare(host.dawn), adapter]);
  if (rows.length === 0) return '';
  return `Chromium and Dawn in Node.js take turns with the same plan file on the same adapter. The kernels' share of a run is by the GPU's own clock around the pass, in runs apart from the turns.

${table(['model', 'Chromium, ms', 'Dawn, ms', 'Chromium over Dawn', 'kernels in Chromium', 'kernels in Dawn', 'adapter'], rows)}
`;
}

function packagesTable(works) {
  return table(['model', 'plans: launches of a run, tuned tasks', 'chosen', 'over the fastest', 'largest error'], works.map(work => [work.name,
    work.plans.map(({ backend, made_for, launches, tuned, tasks }) => `${backend} (${made_for}): ${launches}, ${tuned} of ${tasks}`).join('; '),
    work.chosen.backend ? `${work.chosen.backend} (${work.chosen.plan})` : '–', ratio(work.chosen.over_best),
    Number.isFinite(ownError(work)) ? ownError(work).toExponential(1) : '–']));
}

function failuresOf(works) {
  return works.flatMap(({ name, failed, starts, host, memory, chosen, dawn }) => [...Object.entries(failed).map(([peer, why]) => `- ${name}, ${peer}: ${why.split('\n')[0]}\n`),
    ...[['start', starts], ['host work', host], ['memory', memory], ['plans', { auto: chosen }], ['beside the browser', dawn ? { dawn } : {}]].flatMap(([what, all]) => Object.entries(all).filter(([, one]) => one.failed).map(([backend, { failed: why }]) => `- ${name}, ${what}, ${backend}: ${why}\n`))]).join('');
}

export function markdown(report, contests) {
  const { works, backends, browser, version, rounds, threads, link_mbit_s, bars } = report, failures = failuresOf(works), dawn = dawnTable(works);
  const tuned = works.some(({ plans }) => plans.some(one => one.tuned > 0)) ? 'The packages hold what a database of records knows.' : 'The packages hold schedules without tuning: there were no records.';
  return `## Packages in ${titleOf(browser)}
Written by \`scripts/bench package${browser === 'chromium' ? '' : ` --browser ${browser}`}\`: version ${version}, headless, on software, medians of ${rounds} rounds in turns in one browser. ${tuned}
A run takes its inputs as arrays and gives its outputs as arrays, on all sides. Starts come over a link of ${link_mbit_s} Mbit/s with nothing kept.
${backends.includes('wasm') ? `WebAssembly has ${threads} threads in isolated pages; LiteRT.js runs the same weights as .tflite files that the benchmark writes. ` : ''}The machine is shared: read the ratios.

${timesTable(works, contests)}
${startsTable(works, backends)}
${packagesTable(works)}
${dawn && `### The same package in Dawn\n${dawn}`}### Targets
${table(['', 'found', 'target', ''], bars.map(({ text, found, target, met }) => [text, found, target, met ? '' : 'not met']))}${failures && `\n### What failed\n${failures}`}`;
}

const barLines = bars => bars.map(({ text, found, target, met }) => `${text}: ${found}, wanted ${target}${met ? '' : ', not met'}.\n`).join('');

// Of a run against Dawn alone.
export function dawnMarkdown({ works, version, rounds }) {
  const failures = failuresOf(works), bars = barLines(dawnBars(works));
  return `## Packages in Chromium and in Dawn
Written by \`scripts/bench package --against dawn\`: Chromium ${version}, headless, on software, medians of ${rounds} rounds in turns. The machine is shared: read the ratios.

${dawnTable(works)}${bars}${failures && `\n### What failed\n${failures}`}`;
}

// Of a run against none: what the type of the stored weights does to sizes and errors.
export function storedMarkdown({ works, weights, browser, version }, contests) {
  const megabytes = bytes => (bytes / (1 << 20)).toFixed(2), groups = Object.entries(contests), failures = failuresOf(works);
  const rows = works.map(({ name, weight_bytes, weight_bytes_f32, error }) => [name, megabytes(weight_bytes), megabytes(weight_bytes_f32), (weight_bytes / weight_bytes_f32).toFixed(2),
    ...groups.map(([, { own }]) => (error[own] === undefined ? '–' : exponent(error[own])))]);
  return `## Packages with weights as ${weights}
Written by \`scripts/bench package --weights ${weights} --against none\`: ${titleOf(browser)} ${version}, headless, on software. Errors are of the outputs' range, against ONNX Runtime Web with the model's own weights.

${table(['model', `weights, ${weights}, MB`, 'f32, MB', 'share', ...groups.map(([group]) => `error, ${group}`)], rows)}
${barLines(errorBars(works, weights))}${failures && `\n### What failed\n${failures}`}`;
}
