// Peers on works, in turns: round by round, the order reversed on odd rounds; medians.
import { median } from '../median.mjs';
import { orLost } from './lasting_browser.mjs';
import { limited } from './limited.mjs';
import { count, fromBase64, inputsOf } from './page/tensors.js';
import { elementAt } from './works.mjs';

const SAMPLE_MS = 50, RUNS_MAX = 200, LONG_MS = 1000, CHECKED_ELEMENTS = 512, TOLERANCE = 1e-3, STEP_MS_MAX = 120000;

const withLimit = (promise, what) => limited(promise, STEP_MS_MAX, what);

// The largest difference, as a share of the range.
function worstOf(output, expected, positions) {
  let worst = 0, range = 0;
  for (const [i, position] of positions.entries()) {
    const difference = Math.abs(output[position] - expected[i]);
    if (!(difference <= worst)) worst = difference;
    range = Math.max(range, Math.abs(expected[i]));
  }
  return worst / range;
}

// From the definition, in f64, at elements spread over the output; a model's from the output of the first peer.
function errorOf(work, output, reference) {
  const total = count(work.output);
  if (output.length !== total) return Infinity;
  if (work.model) return worstOf(output, reference, [...reference.keys()]);
  const positions = Array.from({ length: Math.min(total, CHECKED_ELEMENTS) }, (_, i) => (i * 104729 + 31) % total), inputs = inputsOf(work);
  return worstOf(output, positions.map(position => elementAt(work, inputs, position)), positions);
}

// k runs with inputs and outputs in place, or, of a round trip, with all that a caller waits for.
const sampleOf = (page, work) => k => withLimit(page.call(work.round_trip ? 'roundTrips' : 'sample', k), 'a sample');

async function prepare(page, work, references) {
  const made = await withLimit(page.call('prepare', work), 'prepare');
  const output = fromBase64(await withLimit(page.call('output'), 'output')), error = errorOf(work, output, references[work.name] ??= output);
  if (!(error <= (work.tolerance ?? TOLERANCE))) throw new Error(`wrong result: ${error.toExponential(1)} of the range`);
  return { ...made, error, ...await runsOf(sampleOf(page, work)), samples_ms: [] };
}

// As many as take SAMPLE_MS. A single run is mostly waiting, so the second estimate is the one that counts; a long one needs none. {runs, is_long}.
async function runsOf(sample) {
  let runs = 1;
  for (let estimate = 0; estimate < 2; estimate++) {
    const run_ms = await sample(runs);
    if (run_ms > LONG_MS) return { runs: 1, is_long: true };
    runs = Math.max(1, Math.min(RUNS_MAX, Math.round(SAMPLE_MS / run_ms)));
  }
  return { runs, is_long: false };
}

// Some peers' threads go on spinning for a while after their turn: the first half of each turn is not counted, unless one run outlasts them.
async function turn(sample, { runs, is_long }) {
  if (!is_long) await sample(Math.ceil(runs / 2));
  return sample(runs);
}

// What step() gives of a peer; its failure is noted, unless it is the browser that no longer answers.
async function noting(name, { work, results, browser, log }, step) {
  try {
    await step();
  } catch (error) {
    if (browser?.answers && !(await browser.answers())) throw error;
    results[name] = { failed: String(error.message).slice(0, 300) };
    log(`  ${work.name} ${name}: ${results[name].failed}`);
  }
}

async function runWork(work, pages, { browser, rounds, log }) {
  const results = {}, references = {}, context = { work, results, browser, log };
  for (const [name, page] of Object.entries(pages))
    await noting(name, context, async () => { results[name] = await prepare(page, work, references); });
  const live = () => Object.keys(pages).filter(name => !results[name].failed);
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? live().reverse() : live())
      await noting(name, context, async () => { results[name].samples_ms.push(await turn(sampleOf(pages[name], work), results[name])); });
  for (const name of live()) {
    const ms = median(results[name].samples_ms);
    await noting(name, context, async () => Object.assign(results[name], { ms, ...(work.flops && { gflops: work.flops / ms / 1e6 }) }, await pages[name].call('dispose')));
  }
  log(`  ${work.name}: ${live().map(name => `${name} ${results[name].ms.toFixed(2)} ms`).join(', ')}`);
  return results;
}

async function openPeer(name, { open, module, options = {}, at, browser: own }, browser) {
  if (open) return open(browser);
  const page = await (own ?? browser).page(at);
  await page.load(`/page/${module}.js`);
  await withLimit(page.call('init', options), `${name}: init`);
  return page;
}

async function openPeers(peers, browser, log) {
  const pages = {};
  for (const [name, peer] of Object.entries(peers)) {
    try {
      pages[name] = await openPeer(name, peer, browser);
    } catch (error) {
      log(`  ${name} does not start: ${error.message}`);
    }
  }
  return pages;
}

// peers: {name: {module, options, at?: its page's path, browser?: where it is not the common one} or {open: async browser => page}, each with only?: (work) => bool}; a page has
// call(name, …).
// The works are as prepareWorks leaves them, with tolerance?: the largest error that is right, of the range. Returns {work: {peer: {ms, gflops?, …} or {failed}}}. A work that takes the browser away is begun again in
// a fresh one; what takes that away too is left out, with the reason at `work.lost`.
export async function takeTurns({ browser, works, peers, rounds = 5, log = () => {}, onWork = () => {} }) {
  const results = {};
  let pages = await openPeers(peers, browser, log);
  const pagesFor = work => Object.fromEntries(Object.entries(pages).filter(([name]) => peers[name].only?.(work) ?? true));
  const renew = async () => {
    await browser.renew();
    pages = await openPeers(peers, browser, log);
  };
  for (const work of works) {
    results[work.name] = await orLost(work, () => runWork(work, pagesFor(work), { browser, rounds, log }), renew, log) ?? {};
    onWork(work, results[work.name]);
  }
  return results;
}
