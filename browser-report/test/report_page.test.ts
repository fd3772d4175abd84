// The page as hone report writes it, opened from the disk in a real Chromium: with names that mean harm, by filters, on every screen.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const hone = process.env['HONE_BINARY'] ?? path.join(project, 'build/release/hone');
const screenshots = process.env['HONE_SCREENSHOTS'];    // a folder for pictures that people look at

let folder: string;
let chromium: Chromium;

// A page of the stored report, and of as many earlier ones.
function writePage(earlier: number): string {
  const report = JSON.parse(readFileSync(path.join(project, 'cli/bench_reports/golden/report.json'), 'utf8')) as { started_unix_ms: number };
  const files = Array.from({ length: earlier + 1 }, (_, i) => {
    const file = path.join(folder, `${i}.json`);
    writeFileSync(file, JSON.stringify({ ...report, started_unix_ms: report.started_unix_ms - i * 86_400_000 }));
    return file;
  });
  const page = path.join(folder, `page_${earlier}.html`);
  execFileSync(hone, ['report', ...files, '--format', 'html', '--out', page], { env: { ...process.env, HONE_REPORT_DIR: path.join(project, 'browser-report/dist') } });
  return page;
}

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'hone-report-'));
  chromium = await Chromium.launch({ webgpu: false });
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  rmSync(folder, { recursive: true });
});

test('given names that would run as code, when the page is opened, then they are words, the slowest case is open, and nothing was refused or asked of the network', async () => {
  await chromium.open(`file://${writePage(0)}`);
  await chromium.waitForText(/1 regression[^]*2 slower[^]*1 failed/);
  await chromium.waitForText(/conv<\/script><!-- \]\]>/);
  assert.equal(await chromium.evaluate(`document.getElementById('case').textContent`), 'matmul_512');
  await chromium.waitForText(/Samples on chromium 141, webgpu, arm valhall:new, 12old, 12/);
  assert.equal(await chromium.evaluate(`[...document.querySelectorAll('figure:not([hidden]) canvas')].length`), 2);
  assert.equal(await chromium.evaluate(`document.querySelectorAll('b, img, h1 *, td :not(button)').length`), 0);
  assert.deepEqual(chromium.console_lines, []);
});

test('given the page, when it would load or send anything, then its policy forbids it', async () => {
  assert.equal(await chromium.evaluate(`fetch('data:,x').then(() => 'loaded', () => 'refused')`), 'refused');
  assert.equal(await chromium.evaluate(`new Promise(done => { const image = new Image(); image.onload = () => done('loaded'); image.onerror = () => done('refused'); image.src = 'file:///x.png'; })`), 'refused');
  chromium.console_lines.length = 0;
});

test('given the table, when it is filtered and a row is clicked, then what fits is left, and its case is shown', async () => {
  const names = `[...document.querySelectorAll('#rows .case')].map(cell => cell.textContent)`;
  await chromium.evaluate(`{ const input = document.getElementById('filter_case'); input.value = 'SOFT'; input.dispatchEvent(new Event('input')); }`);
  assert.deepEqual(await chromium.evaluate(names), ['softmax_1024', 'softmax_1024']);
  await chromium.evaluate(`document.querySelector('#rows button').click()`);
  assert.equal(await chromium.evaluate(`document.getElementById('case').textContent`), 'softmax_1024');
  await chromium.evaluate(`{ const input = document.getElementById('filter_case'); input.value = ''; input.dispatchEvent(new Event('input')); }`);
  await chromium.evaluate(`document.querySelector('#counts button[data-verdict="skipped"]').click()`);
  assert.deepEqual(await chromium.evaluate(names), ['layer_norm']);
  await chromium.evaluate(`document.querySelector('#rows button').click()`);
  await chromium.waitForText(/no device: skipped: no device of the suite has shader-f16/);
});

test('given several reports, when the page is opened, then there is a history, and it fits every screen', async () => {
  await chromium.open(`file://${writePage(5)}`);
  await chromium.waitForText(/Medians of 6 reports/);
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [360, 1100]) {
      await chromium.resize(width, scheme);
      await chromium.evaluate('new Promise(done => requestAnimationFrame(() => setTimeout(done)))');
      assert.equal(await chromium.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${width} px, ${scheme}`);
      if (screenshots !== undefined) writeFileSync(path.join(screenshots, `report_page_${width}_${scheme}.png`), await chromium.screenshot());
    }
  assert.deepEqual(chromium.console_lines, []);
});
