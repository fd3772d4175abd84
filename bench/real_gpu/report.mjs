// The report of scripts/real_gpu as Markdown, and the section of a document that several of them fill.

// Wanted on a real GPU alone: what software reaches is its compiler's.
const BAR = { name: 'matmul_4096', least: 0.75, text: 'MatMul 4096³ against the multiply-adds of f32' };

const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const shown = (value, unit = '') => (value > 0 ? `${number(value)}${unit}` : '–');
const percent = share => (share > 0 ? `${(100 * share).toFixed(0)} %` : '–');
const line = cells => `| ${cells.map(cell => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
const table = (heads, rows) => line(heads) + line(heads.map(() => '---')) + rows.map(line).join('');

// As WebGPU calls it; each word once.
export function gpuName({ vendor, architecture, device, description }) {
  return [...new Set([vendor, architecture, device, description])].filter(Boolean).join(', ') || 'a GPU without a name';
}

export function barOf({ gpu, cases }) {
  const share = cases.find(({ name }) => name === BAR.name)?.share;
  return !gpu || gpu.software || !(share > 0) ? undefined : { text: BAR.text, share, least: BAR.least, met: share >= BAR.least };
}

const rateRow = (what, rate) => (rate.failed ? [what, `failed: ${rate.failed}`, ''] : [what, `${number(rate.gflops)} GFLOP/s`, `${rate.form}; ${rate.chains} chains of vectors of four`]);
const copyRow = copy => (copy.failed ? ['copy beyond the caches', `failed: ${copy.failed}`, ''] : ['copy beyond the caches', `${number(copy.gb_s)} GB/s`, `${number(copy.bytes / 2 ** 20)} MiB, read and written`]);

function limitRows({ limits, clock, device }) {
  const launch = device?.launch_us ? [['one launch more in a pass', `${device.launch_us} µs`, 'as the agent tells it, in steps of 47 %']] : [];
  if (limits.failed) return [['limits', `failed: ${limits.failed}`, ''], ...launch];
  const over = clock.over_wall ? `${clock.over_wall.toFixed(3)} of what the wall clock says` : 'no stamps';
  return [rateRow('multiply-adds, f32', limits.f32), ...(limits.f16 ? [rateRow('multiply-adds, f16', limits.f16)] : [['multiply-adds, f16', '–', 'the device has no shader-f16']]),
    copyRow(limits.copy), ...launch, [`clock: ${clock.method}`, `steps of ${clock.quantum_ns} ns`, over]];
}

const CASE_HEADS = ['case', 'µs', 'GFLOP/s', 'GB/s', 'bound by', 'share of the limit', 'untuned, µs', 'naive, µs', 'whole run, µs', 'trials', 'max. error'];
const caseRow = row => (row.failed ? [row.name, `failed: ${row.failed}`, ...Array(CASE_HEADS.length - 2).fill('')]
  : [row.name, shown(row.us), shown(row.gflops), shown(row.gb_s), row.bound_by ?? '–', percent(row.share), shown(row.seed_us), shown(row.naive_us), shown(row.run_us), row.trials, row.max_error.toExponential(1)]);

const PEERS = ['hone', 'ort_webgpu', 'tfjs_webgpu'];
function peerText({ peers, cases }) {
  if (peers.skipped) return `Not compared with others: ${peers.skipped}.\n`;
  const compared = cases.filter(row => row.peers);
  if (compared.length === 0) return 'Nothing was compared with others.\n';
  const cell = ({ ms, failed }, name) => (ms[name] ? number(ms[name]) : failed[name] ? 'fails' : '–');
  const failures = compared.flatMap(({ name, peers: { failed } }) => Object.entries(failed).map(([peer, why]) => `- ${name}, ${peer}: ${why.split('\n')[0]}\n`)).join('');
  return table(['ms', ...PEERS, 'speed-up over the faster of them'], compared.map(({ name, peers: row }) => [name, ...PEERS.map(peer => cell(row, peer)), row.over_fastest ? `${row.over_fastest.toFixed(2)}×` : '–']))
    + (failures && `\n${failures}`);
}

const ENDED = { running: () => 'It was not finished.', interrupted: () => 'It was interrupted.', failed: ({ failure }) => `It ended early: ${failure}.`, complete: () => '' };

function introOf(report) {
  const { gpu, place, device, quick, seconds_per_task, ended } = report, end = ENDED[ended](report);
  const kind = gpu?.software ? '**A software GPU**: the processor computes.' : '', driver = device?.driver ? `, driver ${device.driver}` : '';
  return [`${place.browser === 'dawn' ? 'Dawn in Node.js' : 'Chromium'} ${place.version}${place.window ? ' with a window' : ''}${driver}; ${seconds_per_task} s of tuning for each task.`, kind,
    quick ? '**A quick one**: few cases and little tuning; it shows that all runs, and no more.' : '', end].filter(Boolean).join(' ');
}

function barText(report) {
  const bar = barOf(report);
  return bar ? `\nWanted: ${bar.text} ≥ ${percent(bar.least)}; found: ${percent(bar.share)}${bar.met ? '' : ', not met'}.\n` : '';
}

// depth: of its heading.
export function markdown(report, depth = 1) {
  const known = report.gpu ?? report.device, title = known ? gpuName(known) : 'A GPU that did not answer';
  return `${'#'.repeat(depth)} ${title}\n\n${introOf(report)}\n\n${table(['limit', 'measured', ''], limitRows(report))}\n${table(CASE_HEADS, report.cases.map(caseRow))}${barText(report)}\n${peerText(report)}`;
}

// Why a document of real GPUs does not take it; undefined where it does.
export function refusalOf(report) {
  if (!report.gpu) return `its limits were not measured: ${report.limits.failed}`;
  if (report.gpu.software) return `${gpuName(report.gpu)} is a software GPU`;
  return report.quick ? 'it is a quick one: run scripts/real_gpu without --quick' : undefined;
}

const HOW = `What \`scripts/real_gpu\` measured on GPUs, each by whoever has it; [hacking.md](hacking.md) says how to add one. A share is the least time that the device's limits allow
over the time taken: its multiply-adds, or one pass over arguments and results at the speed of a copy. What memory binds is timed with cold caches, other operators with hot ones.`;

export function section(reports) {
  const parts = reports.length ? reports.map(report => markdown(report, 3)) : ['No report of a GPU has come in so far.\n'];
  return `## Real GPUs\n${HOW}\n\n${parts.join('\n')}`;
}
