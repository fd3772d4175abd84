// The page of a package, as an export makes it: runtime and package in one folder, which any static server serves.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { manifestOf, tinyPackage } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const strict = "default-src 'self'";
const screenshots = process.env['HONE_SCREENSHOTS'];    // a folder for pictures that people look at

let server: StaticServer;
let chromium: Chromium;

before(async () => {
  server = await StaticServer.start({ '/tiny/': dist });
  server.put('/tiny/', tinyPackage());
  server.files.set('/tiny/', Buffer.from(server.read('/tiny/index.html') ?? ''));
  server.headers = { 'Content-Security-Policy': strict };
  chromium = await Chromium.launch();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  server.close();
});

async function assertFits(width: number, scheme: 'light' | 'dark'): Promise<void> {
  await chromium.resize(width, scheme);
  assert.equal(await chromium.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${width} px, ${scheme}`);
  if (screenshots !== undefined) writeFileSync(path.join(screenshots, `package_page_${width}_${scheme}.png`), await chromium.screenshot());
}

test('given weights that have not come, when the page is opened under a strict policy, then model, inputs and outputs are shown', async () => {
  let deliver = (): void => {};
  const folder = tinyPackage();
  server.held.set(`/tiny/${manifestOf(folder).chunks[0]!.file}`, new Promise(done => { deliver = done; }));
  await chromium.open(server.url('/tiny/'));
  await chromium.waitForText(/x: f32 \[4, 6\][^]*twice: i64 \[5\]/);
  assert.equal(await chromium.evaluate('document.title'), 'tiny');
  assert.equal(await chromium.evaluate(`document.getElementById('run').disabled`), true);
  await assertFits(360, 'light');
  deliver();
  await chromium.waitForText(/Ready\./);
  await chromium.waitForText(/webgpu[^]*portable/);
});

test('given a page that is ready, when Run is clicked, then the time of a run, first results, backend, plan and why are shown, and it fits every screen', async () => {
  await chromium.evaluate(`document.getElementById('run').click()`);
  await chromium.waitForText(/ ms, median of 10/);
  await chromium.waitForText(/y: -?\d[^]*twice: [02], /);
  for (const scheme of ['light', 'dark'] as const) for (const width of [360, 1100]) await assertFits(width, scheme);
  assert.deepEqual(chromium.console_lines.filter(line => /Content Security Policy|Refused/.test(line) && !/wasm/i.test(line)), []);
});

test('given an index.js that was altered, when the page is opened, then it is not run, and the page says so', async () => {
  server.files.set('/tiny/index.js', Buffer.concat([server.read('/tiny/index.js')!, Buffer.from('globalThis.altered = true;')]));
  await chromium.open(server.url('/tiny/'));
  await chromium.waitForText(/index\.js of the package could not be loaded, or is not the file that was exported: copy the whole package again/);
  assert.equal(await chromium.evaluate('globalThis.altered'), undefined);
  server.files.delete('/tiny/index.js');
});

test('given a package whose chunk is missing, when its page is opened, then it says so', async () => {
  const files = tinyPackage(), { chunks: [first] } = manifestOf(files);
  server.files.delete(`/tiny/${first!.file}`);
  server.held.clear();
  await chromium.evaluate(`caches.delete('hone:tiny:1')`);
  await chromium.open(server.url('/tiny/'));
  await chromium.waitForText(/of the package is missing/);
});
