// The page of a benchmark's report. Its data stand before this script; the samples behind it, so that all else is there before them.
import { readReport, type Report, type Row } from './data.ts';
import { showDetails } from './details.ts';
import { element } from './page.ts';
import { Table } from './table.ts';
import { changeText, momentText } from './words.ts';

function writeHeader(report: Report): void {
  const { suite, new_build, old_build, fail_above, started_unix_ms } = report;
  document.title = `hone: ${suite}`;
  element('title').textContent = suite;
  const against = old_build === null ? '' : ` against ${old_build.name}`, limit = fail_above === null ? '' : `; more than ${changeText(1 + fail_above)} is a regression`;
  element('builds').textContent = `${new_build.name}${against}, ${report.cases.length} cases on ${report.devices.length} devices, ${momentText(started_unix_ms)}${limit}`;
}

function start(): void {
  const report = readReport(element('report').textContent ?? '');
  let shown: Row | undefined;
  const redraw = (): void => { if (shown !== undefined) void showDetails(report, shown); };
  writeHeader(report);
  const table = new Table(report, row => { shown = row; redraw(); });
  if (table.first !== undefined) table.show(table.first);
  else element('details').hidden = true;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  requestAnimationFrame(() => setTimeout(() => performance.mark('shown')));   // a first picture is there (scripts/bench report_page)
  let width = innerWidth;
  addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
}

start();
