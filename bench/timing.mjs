// scripts/bench timing: what the agent's timing makes of simulated devices whose truth is known. It runs the agent's own code and needs no device.
//   --json   --quick: a fiftieth of the candidates   --seed N: other devices and kernels than those of the documentation, whose seed is 0
//   --records N: only the table of records, of N candidates a row, and each false one
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false }, seed: { type: 'string', default: '0' }, records: { type: 'string' } } });
const share = options.quick ? 1 / 50 : 1, seed = seedOf(options.seed);
const agent = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../browser-agent');

function countOf(text) {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`--records is "${text}" and must be a whole number of up to seven digits`);
  return Number(text);
}

// Each trial adds a number of its own below 1000, so that another N is other devices throughout.
function seedOf(text) {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--seed is "${text}" and must be a whole number of up to six digits`);
  return 1000 * Number(text);
}

// Bundled as the unit tests are.
async function trials(name) {
  const { build } = createRequire(path.join(agent, 'package.json'))('esbuild'), outfile = path.join(temporaryFolder(), `${name}.mjs`);
  await build({ entryPoints: [`src/core/simulated/${name}.ts`], absWorkingDir: agent, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node18', logLevel: 'warning' });
  return import(pathToFileURL(outfile).href);
}

const say = text => console.error(`timing: ${text}`);
const percent = part => `${(100 * part).toFixed(2)} %`, line = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const sum = (all, key) => Object.values(all).reduce((total, one) => total + one[key], 0);

async function recordsOf(count) {
  say('records');
  return (await trials('record_trials')).falseRecords(count, seed);
}

function printRecords(records) {
  line('clock', 'candidates', 'false records', 'failed', 'unstable', 'method');
  line('---', '---:', '---:', '---:', '---:', '---');
  for (const [name, { candidates, false_records, failed, unstable, method }] of Object.entries(records)) line(name, candidates, false_records, failed, unstable, method);
  for (const [name, { falsehoods }] of Object.entries(records)) for (const one of falsehoods) console.log(falsehoodText(name, one));
}

function falsehoodText(name, { true_us, samples_us, slowdown }) {
  const ratios = samples_us.map(us => (us / true_us).toFixed(3)).join(', ');
  return `false: ${name}: a kernel of ${true_us.toFixed(1)} µs, samples ${ratios} times that, the reference kernel ${slowdown.toFixed(3)} times its usual time`;
}

// Everything, as --json prints it.
async function all() {
  const { gpuTraits, medianErrors, often_disturbed, sameAgainstSame, slopeTraits, wronglyLost } = await trials('timing_trials'), short_us = [5, 3000], errors = {};
  say('medians');
  for (const [name, traits, method, range] of [
    ['timestamps, steps of 65,536 ns', gpuTraits(65_536), 'timestamp', short_us],
    ['timestamps, steps of 100 µs', gpuTraits(100_000), 'timestamp', short_us],
    ['timestamps, steps of 1 ns', gpuTraits(1), 'timestamp', short_us],
    ['timestamps, steps of 65,536 ns, slow kernels', gpuTraits(65_536), 'timestamp', [3000, 200_000]],
    ['timestamps, steps of 65,536 ns, other work 3 times a second', gpuTraits(65_536, often_disturbed), 'timestamp', short_us],
    ['slopes, 0.3 ms to submit and wait', slopeTraits(0.3), 'slope', short_us],
    ['slopes, 5 ms to submit and wait', slopeTraits(5), 'slope', short_us],
    ['a clock around the work, steps of 100 µs (WebAssembly on a page that is not isolated)', gpuTraits(100_000), 'clock', short_us],
  ]) errors[name] = await medianErrors(traits, (range === short_us ? 5000 : 1000) * share, range, method, seed);
  say('races');
  const lost = await wronglyLost(100_000 * share, seed);
  say('kernels against themselves');
  const same = await sameAgainstSame(10_000 * share, seed), records = await recordsOf(2000 * share), main = Object.values(errors)[0];
  return { median_error_p99: main.median_error_p99, device_ms_per_candidate: main.device_ms, ...lost, ...same, false_records: sum(records, 'false_records'),
    failed_jobs: sum(records, 'failed'), errors, records };
}

function print({ errors, records, ...result }) {
  line('kernels and clock', 'error of the median, 99th percentile', 'device time a candidate', 'unstable');
  line('---', '---:', '---:', '---:');
  for (const [name, { median_error_p99, device_ms, unstable_share }] of Object.entries(errors)) line(name, percent(median_error_p99), `${device_ms.toFixed(1)} ms`, percent(unstable_share));
  console.log();
  printRecords(records);
  console.log();
  line('all', 'found', 'wanted');
  line('---', '---:', '---:');
  line('`median_error_p99`: kernels of 5 µs and more, 65.5 µs clock with jitter', percent(result.median_error_p99), '≤ 3 %');
  line('device time a candidate there', `${result.device_ms_per_candidate.toFixed(1)} ms`, '≤ 40 ms');
  line('`wrongly_lost_share`: of candidates faster than the best', percent(result.wrongly_lost_share), '≤ 0.1 %');
  line('`aa_false_share`: a kernel called faster than itself', percent(result.aa_false_share), '≤ 1 %');
  line('`false_records`, and jobs failed', `${result.false_records}, ${result.failed_jobs}`, '0, 0');
}

if (options.records !== undefined) {
  const records = await recordsOf(countOf(options.records));
  if (options.json) console.log(JSON.stringify({ false_records: sum(records, 'false_records'), failed_jobs: sum(records, 'failed'), records }));
  else printRecords(records);
} else {
  const result = await all();
  if (options.json) console.log(JSON.stringify(result));
  else print(result);
}
