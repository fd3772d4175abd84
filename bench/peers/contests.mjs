// What scripts/bench gpu compares, by browser: hone's kernels of one target with those of its rivals and with kernels written by hand, and what is wanted.
import { geometricMean } from './report.mjs';
import { MODELS, OPERATORS, ROUND_TRIP } from './works.mjs';

const isSquare = work => /^matmul_\d+$/.test(work.name);
const byHand = (module, key, forms) => Object.fromEntries(forms.map(form => [`hand_${form}`, { module, options: { [key]: form }, only: isSquare }]));
const operatorsOf = rows => rows.filter(row => row.kind === 'operator' && row.over_rivals);
// Of those that have a ratio; how many have none is said with it.
const leftOut = rows => {
  const operators = rows.filter(row => row.kind === 'operator'), missing = operators.length - operatorsOf(rows).length;
  return missing > 0 ? ` (${missing} of ${operators.length} left out)` : '';
};
const meanOf = rows => geometricMean(operatorsOf(rows).map(row => row.over_rivals));
const overHand = rows => rows.find(row => row.name === 'matmul_512')?.over_hand;

const webgl = {
  title: 'WebGL in Chromium', target: 'webgl', module: 'hone_webgl',
  operators: OPERATORS.filter(work => ['MatMul', 'Conv'].includes(work.node.type)), others: MODELS,
  rivals: { tfjs_webgl: { module: 'tfjs', options: { backend: 'webgl' } } },
  hand: byHand('hand_webgl', 'form', ['row4', 'mrt4', 'mrt8', 'quad']),
  shown: ['hand_mrt8'],  // eight targets are what hone's own search led to: no bar
  bars: rows => [
    { text: 'MatMul 512³ against the fastest by hand', value: overHand(rows), least: 1.2 },
    { text: `MatMul and Conv against TensorFlow.js: geometric mean${leftOut(rows)}`, value: meanOf(rows), least: 1.5 },
    { text: 'MatMul and Conv against TensorFlow.js: the least', value: operatorsOf(rows).length ? Math.min(...operatorsOf(rows).map(row => row.over_rivals)) : null, least: 1 },
    ...rows.filter(row => row.kind === 'model').map(row => ({ text: `${row.name} against TensorFlow.js`, value: row.over_rivals, least: 1.3 })),
  ],
};

const webgpu = {
  title: 'WebGPU in Firefox', target: 'webgpu', module: 'hone', operators: OPERATORS, others: [ROUND_TRIP],
  rivals: { ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } }, tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } } },
  // The best of the whole sweep of matmul_source.js there, which noise does not tell apart.
  hand: byHand('hand', 'config', ['8x8 t8x2v4 k4', '8x8 t8x4v4 k4', '16x4 t8x4v4 k4', '8x1 t8x4v4 k4']),
  shown: [],
  bars: rows => [
    { text: 'MatMul 512³ against the fastest by hand', value: overHand(rows), least: 0.85 },
    { text: `operators against the faster of ORT WebGPU and TF.js WebGPU: geometric mean${leftOut(rows)}`, value: meanOf(rows), least: 2.5 },
    { text: 'a tiny run with its inputs up and its output back, ms', value: rows.find(row => row.kind === 'round trip')?.ms.hone, most: 5 },
  ],
};

export const CONTESTS = { chromium: webgl, firefox: webgpu };

// Those that have a value, with `met`.
export const barsOf = (contest, rows) => contest.bars(rows).filter(({ value }) => value != null && !Number.isNaN(value))
  .map(bar => ({ ...bar, met: bar.most ? bar.value <= bar.most : bar.value >= bar.least }));
