// scripts/bench peers --untuned: packages that nobody tuned against ONNX Runtime Web on the same backend, in one headless Chromium, in turns: whole models, of scripts/gen_model and,
// where scripts/gen_zoo has written them, full-size ones as PyTorch exports them. A run is what an application pays: inputs up, outputs back. Medians.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { temporaryFolder } from '../hone.mjs';
import { peersOf } from './package_contests.mjs';
import { exportPackage } from './packages.mjs';
import { openBrowser, prepareWorks } from './prepare.mjs';
import { geometricMean } from './report.mjs';
import { takeTurns } from './turns.mjs';
import { MODELS } from './works.mjs';

const LEAST = { webgpu: 2, wasm: 0.8 };   // of the geometric means
export const runtimeTitles = { webgpu: 'WebGPU', wasm: 'WebAssembly' };
const ERROR_MAX = 1e-3;                   // of the range, against ONNX Runtime's WebAssembly
const threads = Math.min(2, os.availableParallelism());
export const contests = { webgpu: { own: 'hone_webgpu', rival: 'ort_webgpu' }, wasm: { own: `hone_wasm_${threads}`, rival: `ort_wasm_${threads}` } };

// The folders of the zoo that hold a model, as works whose inputs and outputs their packages tell. Those that leave a size open are no models of their own.
function zooWorks(zoo) {
  if (!fs.existsSync(zoo)) return [];
  return fs.readdirSync(zoo).filter(name => !name.endsWith('_open') && fs.existsSync(path.join(zoo, name, 'model.onnx'))).sort().map(name => ({ name, zoo: path.join(zoo, name, 'model.onnx') }));
}

export function untunedWorks(build, wanted) {
  const all = [...MODELS, ...zooWorks(path.join(build, 'zoo'))];
  return wanted === 'all' ? all : all.filter(({ name }) => wanted.split(',').includes(name));
}

// Where the zoo's model lies for pages.
function linkZoo(work, folder) {
  work.path = path.join(folder, `${work.name}.onnx`);
  work.file = `/models/${work.name}.onnx`;
  fs.linkSync(work.zoo, work.path);
}

// A work of the zoo gets what takeTurns asks for: its first output is compared.
function describe(work, folder) {
  const { inputs, outputs } = JSON.parse(fs.readFileSync(path.join(folder, work.name, 'manifest.json'), 'utf8'));
  Object.assign(work, { model: true, inputs, output: outputs[0].shape });
}

function exportAll(works, folder, packages, log) {
  fs.mkdirSync(packages);
  return works.filter(work => {
    log(`untuned: exporting ${work.name}`);
    try {
      exportPackage(work, packages, { database: '', weights: 'f32', targets: 'webgpu,wasm' });
    } catch (error) {
      work.lost = String(error.message).trim().split('\n').at(-1).replaceAll(`${folder}/`, '');
      return false;
    }
    if (work.zoo) describe(work, packages);
    return Object.assign(work, { package: `/models/packages/${work.name}/`, round_trip: true, tolerance: ERROR_MAX });
  });
}

// {name, ms: by peer, over: by backend how many times faster hone is, failed}.
function rowOf({ name, lost }, results = {}) {
  const ms = Object.fromEntries(Object.entries(results).filter(([, result]) => result.ms).map(([peer, result]) => [peer, result.ms]));
  const failed = { ...(lost && { hone: lost }), ...Object.fromEntries(Object.entries(results).filter(([, result]) => result.failed).map(([peer, result]) => [peer, result.failed])) };
  const over = Object.fromEntries(Object.entries(contests).filter(([, { own, rival }]) => ms[own] && ms[rival]).map(([backend, { own, rival }]) => [backend, ms[rival] / ms[own]]));
  return { name, ms, over, failed, error: Math.max(...Object.entries(results).filter(([peer]) => peer.startsWith('hone')).map(([, result]) => result.error ?? 0), 0) };
}

export function untunedBars(rows) {
  return Object.keys(contests).filter(backend => rows.some(({ over }) => over[backend])).map(backend => {
    const all = rows.filter(({ over }) => over[backend]), value = geometricMean(all.map(({ over }) => over[backend]));
    return { text: `untuned, ${backend}, against ONNX Runtime Web: geometric mean of ${all.length}`, value, bar: LEAST[backend], met: value >= LEAST[backend],
      slower: all.filter(({ over }) => over[backend] < 1).map(({ name }) => name) };
  });
}

const number = value => (value === undefined ? '–' : value >= 100 ? value.toFixed(0) : value.toPrecision(3));

export function untunedMarkdown({ version, rounds, backends: asked, rows, bars }) {
  const backends = asked.map(backend => [backend, contests[backend]]), line = cells => `| ${cells.join(' | ')} |\n`;
  const head = ['ms', ...backends.flatMap(([backend, { own, rival }]) => [own, rival, `${backend}: speed-up`]), 'largest error'];
  const cells = row => [row.name, ...backends.flatMap(([backend, { own, rival }]) => [...[own, rival].map(peer => (row.failed[peer] ? 'fails' : number(row.ms[peer]))), row.over[backend] ? `${row.over[backend].toFixed(2)}×` : '–']),
    row.error > 0 ? row.error.toExponential(1) : '–'];
  const failures = rows.flatMap(({ name, failed }) => Object.entries(failed).map(([peer, why]) => `- ${name}, ${peer}: ${why.split('\n')[0]}\n`)).join('');
  return `## Untuned, ${asked.map(backend => runtimeTitles[backend]).join(', ')}
Written by \`scripts/bench peers --untuned --backends ${asked.join(',')}\`. Chromium ${version}, headless, software WebGPU (SwiftShader), WebAssembly with ${threads} threads, medians of ${rounds} rounds in turns in one browser. Packages
are exported without any record. The machine is shared: read the ratios.

${line(head)}${line(head.map(() => '---'))}${rows.map(row => line(cells(row))).join('')}
${bars.map(({ text, value, bar, met, slower }) => `- ${text}: ${value?.toFixed(2) ?? '–'}× (${met ? 'reaches' : 'misses'} ${bar}×)${slower.length > 0 ? `; slower: ${slower.join(', ')}` : ''}\n`).join('')}${failures && `\n${failures}`}`;
}

// works: of untunedWorks; backends: of contests. Returns {version, rounds, backends, rows, bars}.
export async function runUntuned(works, { rounds, backends }, log) {
  const folder = temporaryFolder(), own = works.filter(({ zoo }) => !zoo);
  if (own.length > 0) prepareWorks(own, folder);
  for (const work of works) if (work.zoo) linkZoo(work, folder);
  const live = exportAll(works, folder, path.join(folder, 'packages'), log), browser = await openBrowser(folder);
  const wanted = backends.map(backend => contests[backend]).reverse().flatMap(({ own: mine, rival }) => [rival, mine]), all = peersOf(threads);
  try {
    const results = await takeTurns({ browser, works: live, peers: Object.fromEntries(wanted.map(name => [name, all[name]])), rounds, log });
    const rows = works.map(work => rowOf(work, results[work.name]));
    return { version: browser.version, rounds, backends, rows, bars: untunedBars(rows) };
  } finally {
    await browser.close();
  }
}
