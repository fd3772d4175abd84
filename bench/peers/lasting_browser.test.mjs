import assert from 'node:assert/strict';
import test from 'node:test';
import { barsOf, CONTESTS } from './contests.mjs';
import { lastingBrowser } from './lasting_browser.mjs';
import { toBase64 } from './page/tensors.js';
import { takeTurns } from './turns.mjs';

const OUTPUT = [1, 2, 3, 4];
const workNamed = name => ({ name, model: true, output: [OUTPUT.length], inputs: [] });

// A browser whose pages die with it: `fatal` says how many browsers each work takes away. A page that does not know what it is asked fails by itself.
function fakeBrowsers(fatal) {
  const opened = [];
  const open = async () => {
    const browser = { alive: true, agents: [], closed: false, version: '1' };
    opened.push(browser);
    const steps = {
      init: () => {},
      answer: () => true,
      prepare: ({ name }) => {
        if ((fatal[name] ?? 0) === 0) return {};
        fatal[name]--;
        browser.alive = false;
        throw new Error('the page is gone');
      },
      output: () => toBase64(Float32Array.from(OUTPUT)),
      sample: () => 50,
      dispose: () => ({}),
    };
    const call = async (name, ...args) => {
      if (!browser.alive) return new Promise(() => {});  // as Firefox: silence
      return steps[name](...args);
    };
    const page = async () => ({ load: async () => {}, call, close: async () => {} });
    const openAgent = async address => { browser.agents.push(address); };
    return Object.assign(browser, { page, openAgent, close: async () => { browser.closed = true; } });
  };
  return { open, opened };
}

async function turnsWith(fatal, names) {
  const { open, opened } = fakeBrowsers(fatal), said = [], works = names.map(workNamed);
  const browser = await lastingBrowser(open, { answer_ms_max: 20, close_ms_max: 20 });
  await browser.openAgent('http://service');
  const results = await takeTurns({ browser, works, peers: { a: { module: 'a' } }, rounds: 2, log: text => said.push(text) });
  return { results, works, opened, said };
}

test('a work that takes the browser away once is begun again in a fresh one', async () => {
  // Given a browser that dies under the second of three works, when the peers take turns, then each work has its time, and the fresh browser has the agent.
  const { results, works, opened } = await turnsWith({ second: 1 }, ['first', 'second', 'third']);
  assert.deepEqual(works.map(({ name }) => results[name].a.ms), [50, 50, 50]);
  assert.deepEqual(works.map(({ lost }) => lost), [undefined, undefined, undefined]);
  assert.deepEqual(opened.map(({ closed, agents }) => [closed, agents]), [[true, ['http://service']], [false, ['http://service']]]);
});

test('a work that takes two browsers away is left out in one line, and the rest runs', async () => {
  // Given a work under which every browser dies, when the peers take turns, then it alone has no time and says why.
  const { results, works, said } = await turnsWith({ first: 9 }, ['first', 'second']);
  assert.deepEqual(results.first, {});
  assert.equal(works[0].lost, 'device lost: the page is gone');
  assert.equal(results.second.a.ms, 50);
  assert.ok(said.includes('work first: device lost: the page is gone'));
});

test('a browser that does not close is killed', async () => {
  // Given a browser that is silent when it is closed, when it is renewed, then it was killed and another one answers.
  const { open, opened } = fakeBrowsers({});
  let killed = 0;
  const silent = async () => Object.assign(await open(), { close: () => new Promise(() => {}), kill: () => { killed++; } });
  const browser = await lastingBrowser(silent, { answer_ms_max: 20, close_ms_max: 20 });
  opened[0].alive = false;
  assert.equal(await browser.answers(), false);
  await browser.renew();
  assert.equal(killed, 1);
  assert.equal(await browser.answers(), true);
});

test('a mean says how many works it leaves out', () => {
  // Given three operators of which one was lost, when the bars are made, then the mean is of two and says so; with all three it says nothing.
  const row = over_rivals => ({ name: 'x', kind: 'operator', ms: {}, over_rivals });
  const meanOf = rows => barsOf(CONTESTS.firefox, rows).find(({ text }) => text.includes('geometric mean'));
  const { text, value } = meanOf([row(2), row(8), row(null)]);
  assert.match(text, /\(1 of 3 left out\)$/);
  assert.equal(value.toFixed(6), '4.000000');
  assert.match(meanOf([row(2), row(8)]).text, /geometric mean$/);
});
