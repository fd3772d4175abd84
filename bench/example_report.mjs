// A report of a benchmark (docs/bench_report.md) that is made up: a few cases are slower, on one class of devices or on all.

// Mulberry32: the same numbers for the same seed.
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const GPUS = ['nvidia lovelace', 'apple metal-3', 'intel xe-lpg', 'arm valhall', 'qualcomm adreno-7xx'];
const DAY_MS = 86_400_000;

function deviceOf(index, day) {
  const gpu = GPUS[index % GPUS.length], major = 140 + Math.floor(day / 4);
  return { device_id: `device-${index}`, device_key: `class-${index % GPUS.length}`, label: index % 3 === 0 ? `desk ${index + 1}` : '', text: `chromium ${major}, webgpu, ${gpu}`, target: 'webgpu',
    browser: `chromium ${major}.0.7300.${index % GPUS.length}`, fingerprint: { vendor: gpu.split(' ')[0] } };
}

function timesOf(random, median_ms, count) {
  const noise = () => (random() + random() + random() - 1.5) * 0.03;
  const samples_ms = Array.from({ length: count }, () => median_ms * (1 + noise() + (random() < 0.03 ? random() * 0.2 : 0)));
  const sorted = [...samples_ms].sort((a, b) => a - b), at = share => sorted[Math.floor(share * (count - 1))];
  return { median_ms: at(0.5), p10_ms: at(0.1), p90_ms: at(0.9), samples_ms };
}

function comparisonOf(random, ratio, samples) {
  const width = 0.004 + random() * 0.012, ratio_low = ratio - width, ratio_high = ratio + width;
  const verdict = ratio_low > 1 && ratio > 1.005 ? 'slower' : ratio_high < 1 && ratio < 0.995 ? 'faster' : ratio_low > 0.99 && ratio_high < 1.01 ? 'same' : 'inconclusive';
  return { verdict, ratio, ratio_low, ratio_high, pairs: samples, blocks: samples / 2, p_value: verdict === 'slower' || verdict === 'faster' ? 0.001 : 0.4,
    regression: ratio_low > 1.03 ? 'yes' : ratio_high > 1.03 ? 'unknown' : 'no' };
}

function resultOf(random, device, base_ms, effect, samples, day) {
  const head = { message: '', device, job: 'job-1', started_unix_ms: 1_790_000_000_000 + day * DAY_MS, took_ms: 4000 };
  if (random() < 0.005) return { ...head, state: 'failed', message: 'the device was lost while the kernel ran' };
  const new_times = timesOf(random, base_ms * effect, samples), old_times = timesOf(random, base_ms, samples);
  return { ...head, state: 'measured', new_times, old_times, comparison: comparisonOf(random, new_times.median_ms / old_times.median_ms, samples) };
}

function caseOf(random, index, devices, samples, day) {
  const name = `${['matmul', 'conv', 'softmax', 'layer_norm', 'attention'][index % 5]}_${64 << (index % 6)}_${index}`;
  const base_ms = 10 ** (randomOf(index)() * 3 - 2), bad_class = index % 40 === 7 ? 3 : -1, all = index % 97 === 5 ? 1.05 : index % 31 === 4 ? 0.93 : 1;
  const results = devices.map((device, i) => resultOf(random, device, base_ms * (1 + (i % GPUS.length)), i % GPUS.length === bad_class ? 1.6 : all, samples, day));
  const classes = GPUS.map((gpu, i) => ({ device_class: `webgpu, ${gpu}`, devices: devices.filter((_, d) => d % GPUS.length === i).length, ratio: i === bad_class ? 1.6 : all, p_value: i === bad_class ? 1e-4 : 0.6, differs: i === bad_class }));
  return { name, source: `${name}.onnx`, target: 'webgpu', results, classes, mean: { ratio: all, ratio_low: all - 0.01, ratio_high: all + 0.01, devices: devices.length, slower: 1, faster: 0 } };
}

// `day` of a series; samples of each side, an even number.
export function exampleReport({ cases, devices, samples, seed, day }) {
  const random = randomOf(seed), fleet = Array.from({ length: devices }, (_, i) => deviceOf(i, day));
  return { format: 'hone.bench_report', version: 1, suite: 'nightly', started_unix_ms: 1_790_000_000_000 + day * DAY_MS, took_ms: 7_200_000,
    new_build: { name: 'build/new', made_by: '0.2.0', commit: `f00d${seed}` }, old_build: { name: 'build/old', made_by: '0.2.0' }, alpha: 0.01, minimum_effect: 0.005, same_within: 0.01, fail_above: 0.03,
    cases: Array.from({ length: cases }, (_, i) => caseOf(random, i, fleet, samples, day)) };
}
