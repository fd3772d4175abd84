// Peers on works, all in one browser, in turns: round by round, the order reversed on odd rounds; medians.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../median.mjs';
import { openChromium } from './chromium.mjs';
import { count, fromBase64, inputsOf, toBase64 } from './page/tensors.js';
import { serve } from './static_server.mjs';
import { elementAt } from './works.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SAMPLE_MS = 50, RUNS_MAX = 50, CHECKED_ELEMENTS = 512, TOLERANCE = 1e-3, STEP_MS_MAX = 120000;

function withLimit(promise, what) {
  let timer;
  const over = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what} took over ${STEP_MS_MAX / 1000} s`)), STEP_MS_MAX); });
  return Promise.race([promise, over]).finally(() => clearTimeout(timer));
}

function writeModels(works, folder) {
  const withValues = works.map(work => {
    const values = inputsOf(work);
    return { ...work, hone: undefined, inputs: work.inputs.map((input, i) => (input.constant ? { ...input, values: toBase64(values[i]) } : input)) };
  });
  execFileSync('/usr/bin/python3', [path.join(HERE, 'gen_op.py'), folder], { input: JSON.stringify(withValues) });
  for (const work of works) work.model = `/models/${work.name}.onnx`;
}

// The largest difference from the definition, in f64, at elements spread over the output, as a share of the range.
function errorOf(work, output) {
  const inputs = inputsOf(work), total = count(work.output);
  if (output.length !== total) return Infinity;
  let worst = 0, range = 0;
  for (let i = 0; i < CHECKED_ELEMENTS; i++) {
    const position = (i * 104729 + 31) % total, expected = elementAt(work, inputs, position), difference = Math.abs(output[position] - expected);
    if (!(difference <= worst)) worst = difference;
    range = Math.max(range, Math.abs(expected));
  }
  return worst / range;
}

async function prepare(page, work) {
  const made = await withLimit(page.call('prepare', work), 'prepare');
  const error = errorOf(work, fromBase64(await withLimit(page.call('output'), 'output')));
  if (!(error <= TOLERANCE)) throw new Error(`wrong result: ${error.toExponential(1)} of the range`);
  const once_ms = await withLimit(page.call('sample', 1), 'one run');
  return { ...made, error, runs: Math.max(1, Math.min(RUNS_MAX, Math.round(SAMPLE_MS / once_ms))), samples_ms: [] };
}

async function runWork(work, pages, rounds, log) {
  const results = {};
  for (const [name, page] of Object.entries(pages)) {
    try {
      results[name] = await prepare(page, work);
    } catch (error) {
      results[name] = { failed: String(error.message).slice(0, 300) };
      log(`  ${work.name} ${name}: ${results[name].failed}`);
    }
  }
  const live = Object.keys(pages).filter(name => !results[name].failed);
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? [...live].reverse() : live)
      results[name].samples_ms.push(await withLimit(pages[name].call('sample', results[name].runs), 'sample'));
  for (const name of live) {
    const ms = median(results[name].samples_ms);
    Object.assign(results[name], { ms, gflops: work.flops / ms / 1e6 });
    await pages[name].call('dispose');
  }
  log(`  ${work.name}: ${live.map(name => `${name} ${results[name].ms.toFixed(2)} ms`).join(', ')}`);
  return results;
}

// peers: {name: {module, options, only?: (work) => bool}}. Returns {browser, works: {name: {peer: {ms, gflops, …} or {failed}}}}.
export async function takeTurns({ works, peers, rounds = 5, log = () => {} }) {
  const models = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-peers-'));
  writeModels(works, models);
  const server = await serve({ page: path.join(HERE, 'page'), node_modules: path.join(HERE, 'node_modules'), models });
  const browser = await openChromium(server.url);
  try {
    const pages = {};
    for (const [name, peer] of Object.entries(peers)) {
      pages[name] = await browser.page();
      await pages[name].load(`/page/${peer.module}.js`);
      await withLimit(pages[name].call('init', peer.options ?? {}), `${name}: init`);
    }
    const results = {};
    for (const work of works) {
      const mine = Object.fromEntries(Object.entries(pages).filter(([name]) => peers[name].only?.(work) ?? true));
      results[work.name] = await runWork(work, mine, rounds, log);
    }
    return { browser: `Chromium ${browser.version}`, works: results };
  } finally {
    await browser.close();
    server.close();
    fs.rmSync(models, { recursive: true });
  }
}
