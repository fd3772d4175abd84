// scripts/bench report_page: how long the page of a benchmark's report takes until it is drawn, in headless Chromium from the disk, and how long hone takes to write it. The report is
// made up: 500 cases on 20 devices, 120 pairs each, and as many earlier reports as --history says. Medians.
//   --cases N (500)   --devices N (20)   --samples N of each side (120)   --history N (0)   --runs N (5)   --keep FOLDER for the page and pictures of it   --json
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { exampleReport } from './example_report.mjs';
import { PROGRAM, temporaryFolder } from './hone.mjs';
import { median } from './median.mjs';
import { openTab } from './tab.mjs';

const { values: options } = parseArgs({ options: { cases: { type: 'string', default: '500' }, devices: { type: 'string', default: '20' }, samples: { type: 'string', default: '120' },
  history: { type: 'string', default: '0' }, runs: { type: 'string', default: '5' }, keep: { type: 'string' }, json: { type: 'boolean', default: false } } });
const sizes = { cases: Number(options.cases), devices: Number(options.devices), samples: Number(options.samples) };
const folder = options.keep ?? temporaryFolder();
const page = path.join(folder, 'report.html');

function writePage() {
  fs.mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: Number(options.history) + 1 }, (_, i) => {
    const file = path.join(folder, `${i}.json`);
    fs.writeFileSync(file, JSON.stringify(exampleReport({ ...sizes, seed: i + 1, day: i })));
    return file;
  });
  const begun = performance.now();
  execFileSync(PROGRAM, ['report', ...files, '--format', 'html', '--out', page]);
  return { write_ms: performance.now() - begun, report_bytes: fs.statSync(files[0]).size };
}

async function shownAfter(tab) {
  await tab.open(`file://${page}`);
  return tab.evaluate(`new Promise(done => { const look = () => { const [mark] = performance.getEntriesByName('shown'); mark ? done(mark.startTime) : setTimeout(look, 5); }; look(); })`);
}

async function takePictures(tab) {
  for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [360, 'light']]) {
    await tab.resize(width, scheme);
    await shownAfter(tab);
    fs.writeFileSync(path.join(folder, `page_${width}_${scheme}.png`), await tab.picture());
  }
}

const written = writePage();
const tab = await openTab();
const times_ms = [];
for (let run = 0; run < Number(options.runs); ++run) times_ms.push(await shownAfter(tab));
if (options.keep) await takePictures(tab);
await tab.close();
const result = { ...sizes, shown_ms: median(times_ms), shown_ms_max: Math.max(...times_ms), page_bytes: fs.statSync(page).size, ...written };

if (options.json) {
  console.log(JSON.stringify(result));
} else {
  console.log(`${sizes.cases} cases on ${sizes.devices} devices, ${sizes.samples} samples of each side, ${options.history} earlier reports`);
  console.log(`from opening to the first picture, ms        ${result.shown_ms.toFixed(0)}, at most ${result.shown_ms_max.toFixed(0)}   (target: <= 1000)`);
  console.log(`the page, MB                                 ${(result.page_bytes / 1e6).toFixed(1)}, of ${(result.report_bytes / 1e6).toFixed(1)} of JSON`);
  console.log(`to write it, ms                              ${result.write_ms.toFixed(0)}`);
}
