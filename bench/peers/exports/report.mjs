// What scripts/bench exports found, as data and as Markdown.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { overFastest } from '../paired.mjs';

// What a package has beside what runs the model: the page that shows it, and types.
const BESIDE = /^(index\.html|style\.css|page\.js|package\.json|.*\.d\.ts)$/;
const WEIGHTS = /^weights-|\.safetensors$/;

const sizeOf = files => ({ bytes: files.reduce((sum, file) => sum + fs.statSync(file).size, 0), gzip: files.reduce((sum, file) => sum + zlib.gzipSync(fs.readFileSync(file), { level: 9 }).length, 0) });

// {code: {bytes, gzip}, weights_bytes} of a folder, and of files that are needed beside it.
export function sizesOf(folder, others = []) {
  const files = fs.readdirSync(folder).filter(name => !BESIDE.test(name)), isWeight = name => WEIGHTS.test(name);
  const code = sizeOf([...files.filter(name => !isWeight(name)).map(name => path.join(folder, name)), ...others]);
  return { code, weights_bytes: sizeOf(files.filter(isWeight).map(name => path.join(folder, name))).bytes };
}

const OWN = ['hone', 'hone_untuned'];

// work.plans: of each of hone's packages; folders: {hone, hone_untuned, tinygrad, runner: the file that runs what tinygrad exported}
export function summaryOf(work, results = {}, folders) {
  const of = key => Object.fromEntries(Object.entries(results).filter(([, one]) => one[key] !== undefined).map(([name, one]) => [name, one[key]]));
  const ms = of('ms'), samples = of('samples_ms'), each = call => Object.fromEntries(OWN.map(name => [name, call(name)]));
  const planOf = name => work.plans[name].find(({ backend, made_for }) => backend === results[name]?.used?.backend && made_for === results[name].used.plan);
  return { name: work.name, ms, over: each(name => overFastest({ ms, samples }, name, ['tinygrad'])?.over), first_ms: sums(results), error: of('error'), failed: of('failed'),
    launches: { ...each(name => planOf(name)?.launches), tinygrad: work.made.launches },
    sizes: { ...each(name => sizesOf(folders[name])), tinygrad: sizesOf(folders.tinygrad, [folders.runner]) } };
}

// From nothing to the first result, with all files on this machine.
const sums = results => Object.fromEntries(Object.entries(results).filter(([, { first_ms }]) => first_ms !== undefined).map(([name, { create_ms, first_ms }]) => [name, create_ms + first_ms]));

const number = value => (value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(3));
const line = cells => `| ${cells.join(' | ')} |\n`;
const kilobytes = bytes => (bytes / 1024).toFixed(1), megabytes = bytes => (bytes / (1 << 20)).toFixed(2);

const TITLES = { hone: 'hone', hone_untuned: 'hone, without records', tinygrad: 'tinygrad' };

const rowOf = (work, peer) => {
  const { code, weights_bytes } = work.sizes[peer];
  return line([work.name, TITLES[peer], number(work.ms[peer]), work.over[peer] ? `${work.over[peer].toFixed(2)}×` : '', number(work.first_ms[peer]), String(work.launches[peer] ?? '–'), kilobytes(code.bytes),
    kilobytes(code.gzip), megabytes(code.bytes + weights_bytes), work.error[peer] === undefined ? '–' : work.error[peer].toExponential(1)]);
};

export function markdown({ version, rounds, tinygrad, works }) {
  const heads = ['model', 'export', 'ms a run', 'speed-up over tinygrad', 'first result, ms', 'launches', 'without weights, KB', 'the same, gzip, KB', 'with weights, MB', 'largest error'];
  const failures = works.flatMap(({ name, failed }) => Object.entries(failed).map(([peer, why]) => `- ${name}, ${peer}: ${why.split('\n')[0]}\n`)).join('');
  return `## Exports of others
Written by \`scripts/bench exports\`: Chromium ${version}, headless, WebGPU on software, medians of ${rounds} rounds in turns in one browser; a run takes its input as an array and gives its output as one.
tinygrad ${tinygrad} comes from PyPI, where its own exporter is not: what its JIT launches is written down and run by files of this benchmark
(\`bench/peers/exports/tinygrad_export.py\`, \`bench/peers/page/tinygrad_net.js\`), with tinygrad's kernels as it makes them without a search (\`BEAM\` unset); the fair row beside it is hone without records. hone's packages are exported with
\`--targets webgpu\`, and hold portable kernels beside those for this device. Sizes are of what runs the model, without the page that shows it. First results come from files on this machine. The machine is shared: read the ratios.

TVM is not here: the wheel apache-tvm 0.27.0.post1 compiles the encoder for WebGPU with a host in wasm32, but linking wants \`wasm_runtime.bc\`, which is neither in the wheel nor in the npm package
\`@mlc-ai/web-runtime\`. The wheel has the sources of that runtime
without some of their headers (ten, among them io.h and serializer.h of tvm/support, and compiler-rt's builtin_fp16.h), and PyPI has no source package.

${line(heads)}${line(heads.map(() => '---'))}${works.flatMap(work => Object.keys(TITLES).map(peer => rowOf(work, peer))).join('')}${failures && `\n### What failed\n${failures}`}`;
}
