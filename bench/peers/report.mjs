// The comparison as data and as Markdown: times, wins, losses, and what was wanted.
const GPU_PEERS = ['ort_webgpu', 'tfjs_webgpu'];

const fasterOf = (ms, names) => Math.min(...names.map(name => ms[name] ?? Infinity));
const ratio = (a, b) => (a > 0 && b > 0 && Number.isFinite(a) ? a / b : null);

// ms: by peer; hone's is `hone` for operators and models alike. `over`: how many times faster hone is.
export function summaryOf(work, results = {}) {
  const ms = {}, failed = work.lost ? { hone: work.lost } : {};
  for (const [name, result] of Object.entries(results)) {
    const peer = name === 'hone_model' ? 'hone' : name;
    if (result.failed) failed[peer] = result.failed;
    else ms[peer] = result.ms;
  }
  const { host_share, check, error } = results.hone_model ?? results.hone ?? {};
  const over = { gpu: ratio(fasterOf(ms, GPU_PEERS), ms.hone), ort_webgpu: ratio(ms.ort_webgpu, ms.hone), tfjs_webgl: ratio(ms.tfjs_webgl, ms.hone) };
  return { name: work.name, model: Boolean(work.model), flops: work.flops, ms, failed, over, host_share, check, error, tuned: work.tuned };
}

export function geometricMean(values) {
  const known = values.filter(value => value > 0);
  return known.length ? Math.exp(known.reduce((sum, value) => sum + Math.log(value), 0) / known.length) : null;
}

const among = pattern => work => pattern.test(work.name);
const MEANS = [
  { text: 'operators, geometric mean, against the faster of ORT WebGPU and TF.js WebGPU', of: work => !work.model, key: 'gpu', bar: 7 },
  { text: 'operators, geometric mean, against TF.js WebGL', of: work => !work.model, key: 'tfjs_webgl', bar: 1.4 },
  { text: 'depthwise, geometric mean, against ORT WebGPU', of: among(/^dw_/), key: 'ort_webgpu', bar: 5 },
  { text: 'pointwise, geometric mean, against ORT WebGPU', of: among(/^pw_/), key: 'ort_webgpu', bar: 5 },
  { text: 'softmax, geometric mean, against ORT WebGPU', of: among(/^softmax_/), key: 'ort_webgpu', bar: 5 },
  { text: 'layer norm, against ORT WebGPU', of: among(/^layernorm_/), key: 'ort_webgpu', bar: 5 },
];

// {text, value, bar, met} of all that was measured.
export function barsOf(works) {
  const means = MEANS.map(({ text, of, key, bar }) => ({ text, bar, value: geometricMean(works.filter(of).map(work => work.over[key])) }));
  const models = works.filter(work => work.model).flatMap(work => [
    { text: `${work.name} against the faster of ORT WebGPU and TF.js WebGPU`, bar: 6, value: work.over.gpu },
    { text: `${work.name} against TF.js WebGL`, bar: 1, value: work.over.tfjs_webgl },
    { text: `${work.name}: kernels' share of the time`, bar: 0.9, value: work.host_share === undefined ? null : 1 - work.host_share },
  ]);
  return [...means, ...models].filter(({ value }) => value !== null).map(one => ({ ...one, met: one.value >= one.bar }));
}

const ORDER = ['hone', 'ort_webgpu', 'tfjs_webgpu', 'tfjs_webgl', 'jax_webgpu', 'ort_wasm', 'tfjs_wasm', 'jax_wasm'];
const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function tableOf(works, names) {
  const cell = (work, name) => {
    const ms = work.ms[name], fastest = Math.min(...Object.values(work.ms));
    if (!ms) return work.failed[name] ? 'fails' : '–';
    return ms === fastest ? `**${number(ms)}**` : number(ms);
  };
  const line = cells => `| ${cells.join(' | ')} |\n`;
  return line(['ms', ...names, 'speed-up over the faster WebGPU peer', 'speed-up over TF.js WebGL']) + line([...names, '', '', ''].map(() => '---'))
    + works.map(work => line([work.name, ...names.map(name => cell(work, name)), ...['gpu', 'tfjs_webgl'].map(key => (work.over[key] ? `${work.over[key].toFixed(1)}×` : '–'))])).join('');
}

export function markdown(report) {
  const names = ORDER.filter(name => report.works.some(work => work.ms[name] || work.failed[name]));
  const failures = report.works.flatMap(work => Object.entries(work.failed).map(([name, why]) => `- ${work.name}, ${name}: ${why.split('\n')[0]}\n`));
  return `## All in Chromium
Written by \`scripts/bench peers\`. Chromium ${report.browser}, headless, software WebGPU (SwiftShader) and WebGL, medians of ${report.rounds} rounds in turns in one browser;
the fastest is bold. hone was tuned for up to ${report.time_s} s for an operator and ${report.model_time_s} s for each task of a model, going on from what earlier runs had recorded. The machine is shared: read the ratios.
WebGPU peers keep inputs and outputs on the device; hone's whole models upload the inputs and read the outputs back in each run.

${tableOf(report.works, names)}
### Targets
| | found | target | |
|---|---|---|---|
${report.bars.map(({ text, value, bar, met }) => `| ${text} | ${value < 2 ? value.toFixed(2) : value.toFixed(1)} | ≥ ${bar} | ${met ? '' : 'not met'} |\n`).join('')}${failures.length ? `\n### What failed\n${failures.join('')}` : ''}`;
}
