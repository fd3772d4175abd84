// scripts/bench peers --untuned --kernels: the same comparison node by node: of each model the nodes that take its time, as models of their own (split_nodes.py). Both sides pay inputs up and outputs back in each run.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../hone.mjs';
import { contests, runtimeTitles } from './untuned.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), SYSTEM_PYTHON = '/usr/bin/python3', OUTPUT_BYTES_MAX = 1 << 28;
// They rename or reshape what nodes read and write, whose shapes are asked for.
const PASSES = ['split_attention', 'order_updates', 'narrow_choices', 'simplify_algebra', 'scale_products', 'eliminate_transposes', 'fold_batch_normalization', 'recognise_standardization',
  'recognise_gelu', 'round_channels'];

function shapesOf(file) {
  const without = PASSES.flatMap(name => ['--without-pass', name]);
  return execFileSync(PROGRAM, ['compile', file, '--target', 'wasm', '--dump', 'graph', ...without], { maxBuffer: OUTPUT_BYTES_MAX });
}

// The kernels of the models, as works for runUntuned: {name, zoo: its file, of: the model, text, count: of such nodes in the model}. The zoo's Python reads its newer files.
export function kernelWorks(models, build, folder) {
  const newer = path.join(build, 'zoo/venv/bin/python'), python = fs.existsSync(newer) ? newer : SYSTEM_PYTHON;
  return models.flatMap(({ name, path: own, zoo }) => {
    const file = zoo ?? own, nodes = path.join(folder, `${name}.nodes`);
    fs.mkdirSync(nodes, { recursive: true });
    const listed = JSON.parse(execFileSync(python, [path.join(HERE, 'split_nodes.py'), file, nodes], { input: shapesOf(file), maxBuffer: OUTPUT_BYTES_MAX }));
    return listed.map((node, i) => ({ name: `${name}.${i}`, zoo: node.file, of: name, text: node.text, count: node.count }));
  });
}

// Of one model on one backend: what its nodes that both ran take in all, each as often as the model has it, and those where hone is slower.
export function kernelSummary(works, rows, backend) {
  const { own, rival } = contests[backend], all = works.map((work, i) => ({ ...work, ...rows[i] })).filter(({ over }) => over[backend]);
  const sum = peer => all.reduce((total, { ms, count }) => total + count * ms[peer], 0);
  return { kernels: all.length, own_ms: sum(own), rival_ms: sum(rival), slower: all.filter(({ over }) => over[backend] < 1).sort((a, b) => a.over[backend] - b.over[backend]) };
}

const line = cells => `| ${cells.join(' | ')} |\n`, table = (head, rows) => line(head) + line(head.map(() => '---')) + rows.map(line).join('');
const number = value => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function backendMarkdown(works, rows, backend) {
  const { own, rival } = contests[backend], models = [...new Set(works.map(({ of }) => of))].map(of => {
    const chosen = works.map((work, i) => [work, rows[i]]).filter(([work]) => work.of === of);
    return { of, ...kernelSummary(chosen.map(([work]) => work), chosen.map(([, row]) => row), backend) };
  });
  const sums = models.map(({ of, kernels, own_ms, rival_ms, slower }) => [of, kernels, slower.length, number(own_ms), number(rival_ms), `${(rival_ms / own_ms).toFixed(2)}×`]);
  const losses = models.flatMap(({ of, slower }) => slower.map(({ text, count, ms, over }) => [of, text, count, number(ms[own]), number(ms[rival]), `${over[backend].toFixed(2)}×`]));
  return `${runtimeTitles[backend]}: each node as often as its model has it, ms.

${table(['model', 'kernels', 'slower', own, rival, 'speed-up'], sums)}
${losses.length > 0 ? `The slower ones:\n\n${table(['model', 'node', 'times', `${own}, ms`, `${rival}, ms`, 'speed-up'], losses)}` : 'None is slower.\n'}`;
}

export function kernelsMarkdown(works, { version, rounds, backends, rows }) {
  return `## Untuned, kernel by kernel, ${backends.map(backend => runtimeTitles[backend]).join(', ')}
Written by \`scripts/bench peers --untuned --kernels --backends ${backends.join(',')}\`. Chromium ${version}, headless, software WebGPU (SwiftShader), medians of ${rounds} rounds in turns in one browser. Each distinct node of a
million multiply-accumulates or elements, as a model of its own, exported without any record: inputs up and outputs back in each run. The machine is shared: read the ratios.

${backends.map(backend => backendMarkdown(works, rows, backend)).join('\n')}`;
}
