// scripts/bench timing: what the agent's timing makes of simulated devices whose truth is known. It runs the agent's own code and needs no device.
//   --json   --quick: a fiftieth of the candidates   --seed N: other devices and kernels than those of the documentation, whose seed is 0
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { temporaryFolder } from './hone.mjs';

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false }, seed: { type: 'string', default: '0' } } });
const share = options.quick ? 1 / 50 : 1, seed = seedOf(options.seed);
const agent = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../browser-agent');

// Each trial adds a number of its own below 1000, so that another N is other devices throughout.
function seedOf(text) {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`--seed is "${text}" and must be a whole number of up to six digits`);
  return 1000 * Number(text);
}

// Bundled as the unit tests are.
async function trials() {
  const { build } = createRequire(path.join(agent, 'package.json'))('esbuild'), outfile = path.join(temporaryFolder(), 'trials.mjs');
  await build({ entryPoints: ['src/core/simulated/timing_trials.ts'], absWorkingDir: agent, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node18', logLevel: 'warning' });
  return import(pathToFileURL(outfile).href);
}

const { disturbed, falseRecords, gpuTraits, medianErrors, sameAgainstSame, slopeTraits, wronglyLost } = await trials();
const say = text => console.error(`timing: ${text}`);
const short_us = [5, 3000], errors = {};
say('medians');
for (const [name, traits, method, range] of [
  ['timestamps, steps of 65,536 ns', gpuTraits(65_536), 'timestamp', short_us],
  ['timestamps, steps of 100 µs', gpuTraits(100_000), 'timestamp', short_us],
  ['timestamps, steps of 1 ns', gpuTraits(1), 'timestamp', short_us],
  ['timestamps, steps of 65,536 ns, slow kernels', gpuTraits(65_536), 'timestamp', [3000, 200_000]],
  ['timestamps, steps of 65,536 ns, other work 3 times a second', gpuTraits(65_536, { ...disturbed, bursts: { ...disturbed.bursts, apart_ms: 300 } }), 'timestamp', short_us],
  ['slopes, 0.3 ms to submit and wait', slopeTraits(0.3), 'slope', short_us],
  ['slopes, 5 ms to submit and wait', slopeTraits(5), 'slope', short_us],
  ['a clock around the work, steps of 100 µs (WebAssembly on a page that is not isolated)', gpuTraits(100_000), 'clock', short_us],
]) errors[name] = await medianErrors(traits, (range === short_us ? 5000 : 1000) * share, range, method, seed);
say('races');
const lost = await wronglyLost(100_000 * share, seed);
say('kernels against themselves');
const same = await sameAgainstSame(10_000 * share, seed);
say('records');
const records = await falseRecords(2000 * share, seed);

const sum = (all, key) => Object.values(all).reduce((total, one) => total + one[key], 0);
const main = Object.values(errors)[0];
const result = { median_error_p99: main.median_error_p99, device_ms_per_candidate: main.device_ms, ...lost, ...same, false_records: sum(records, 'false_records'),
  failed_jobs: sum(records, 'failed'), errors, records };

if (options.json) {
  console.log(JSON.stringify(result));
} else {
  const percent = part => `${(100 * part).toFixed(2)} %`, line = (text, ...cells) => console.log(`| ${[text, ...cells].join(' | ')} |`);
  line('kernels and clock', 'error of the median, 99th percentile', 'device time a candidate', 'unstable');
  line('---', '---:', '---:', '---:');
  for (const [name, { median_error_p99, device_ms, unstable_share }] of Object.entries(errors)) line(name, percent(median_error_p99), `${device_ms.toFixed(1)} ms`, percent(unstable_share));
  console.log();
  line('clock', 'candidates', 'false records', 'failed', 'unstable', 'method');
  line('---', '---:', '---:', '---:', '---:', '---');
  for (const [name, { candidates, false_records, failed, unstable, method }] of Object.entries(records)) line(name, candidates, false_records, failed, unstable, method);
  console.log();
  line('all', 'found', 'wanted');
  line('---', '---:', '---:');
  line('`median_error_p99`: kernels of 5 µs and more, 65.5 µs clock with jitter', percent(result.median_error_p99), '≤ 3 %');
  line('device time a candidate there', `${result.device_ms_per_candidate.toFixed(1)} ms`, '≤ 40 ms');
  line('`wrongly_lost_share`: of candidates faster than the best', percent(lost.wrongly_lost_share), '≤ 0.1 %');
  line('`aa_false_share`: a kernel called faster than itself', percent(same.aa_false_share), '≤ 1 %');
  line('`false_records`, and jobs failed', `${result.false_records}, ${result.failed_jobs}`, '0, 0');
}
