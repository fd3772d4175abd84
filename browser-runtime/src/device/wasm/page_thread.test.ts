import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import copy_rows from '../../../../browser-agent/dist/copy_rows.wasm';
import { withMemory } from './memory_import.ts';
import { PageThread } from './page_thread.ts';

// The tests run in browser-agent's folder.
const runtime = new WebAssembly.Module(readFileSync('dist/package_runtime.wasm')), copying = new WebAssembly.Module(withMemory(copy_rows.slice(), true));
const from = 1024, to = 2048;

// Two launches, each of which copies 20 words in two tiles.
function setUp(): { memory: WebAssembly.Memory; words: Int32Array; open: () => Promise<PageThread> } {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true }), words = new Int32Array(memory.buffer);
  words.set([from, to, 20, 1, 1, 1, 1, 1], 0);
  words.set([to, to + 512, 20, 1, 1, 1, 1, 1], 8);
  const launches = [{ module: 0, args: 0, extent: 2 }, { module: 0, args: 32, extent: 2 }];
  return { memory, words, open: () => PageThread.open({ memory, runtime, modules: [copying], launches }) };
}

test('given launches on a memory that is shared, when run here, then all are done, in order', async () => {
  const { words, open } = setUp(), page = await open();
  words.set(Array.from({ length: 20 }, (_, i) => i + 1), from / 4);
  page.run();
  assert.deepEqual([...words.subarray((to + 512) / 4, (to + 512) / 4 + 21)], [...Array.from({ length: 20 }, (_, i) => i + 1), 0]);
  page.dispose();
});

test('given runs of more than some milliseconds, when the next one is due, then it waits for the page, and those behind it do not', async () => {
  const { open } = setUp(), page = await open();
  for (const until = performance.now() + 100; performance.now() < until;) page.run();
  try {
    assert.equal(await isAtOnce(page.breathe()), false);
    await page.breathe();
    assert.equal(await isAtOnce(page.breathe()), true);
  } finally {
    page.dispose();
  }
});

// Without an event between.
async function isAtOnce(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => { done = true; });
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return done;
}

test('given a module that is no kernel, when opened, then it is refused', async () => {
  const { memory } = setUp(), none = new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  await assert.rejects(PageThread.open({ memory, runtime, modules: [none], launches: [] }), /exports no function main/);
});
