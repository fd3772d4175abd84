// What is known of one case: on each device, on the one that is looked at, and over time.
import { distributionChart, effectsChart, historyChart, type NamedEffect } from './charts.ts';
import type { Case, Report, Row } from './data.ts';
import { element, made, wholeDocument } from './page.ts';
import { readSamples } from './samples.ts';
import { changeText, deviceName, deviceText, intervalText, timeText, verdictText } from './words.ts';

let lines: string[] | undefined;   // of the samples, once somebody asked

async function samplesLine(row: Row): Promise<string> {
  await wholeDocument();   // they stand behind the script
  lines ??= (element('samples').textContent ?? '').split('\n');
  return lines[row.index + 1] ?? '';
}

interface Figure { caption: HTMLElement; box: HTMLElement }

function figure(id: string, shown: boolean): Figure {
  const node = element(id), [caption, box] = [...node.children] as HTMLElement[];
  node.hidden = !shown;
  return { caption: caption!, box: box! };
}

function effectsOf(report: Report, of: Case): NamedEffect[] {
  const effects = report.rows.filter(row => row.of === of && row.effect !== null).map((row): NamedEffect => ({ ...row.effect!, name: deviceName(row) }));
  return of.mean === null ? effects : [...effects, { ...of.mean, name: 'all devices', strong: true }];
}

function showEffects(report: Report, of: Case): void {
  const effects = effectsOf(report, of), { caption, box } = figure('effects', effects.length > 0);
  if (effects.length === 0) return;
  const left_out = effectsChart(box, effects);
  const level = `${Number(((1 - report.alpha) * 100).toFixed(2))} %`;
  caption.textContent = `Change of the time by device, with ${level} intervals${left_out > 0 ? `; the ${left_out} smallest are left out` : ''}`;
}

async function showDistribution(row: Row): Promise<void> {
  const samples = readSamples(await samplesLine(row)), { caption, box } = figure('distribution', samples !== null);
  if (samples === null) return;
  distributionChart(box, samples);
  caption.textContent = `Samples on ${deviceName(row)}:`;
  for (const [name, count] of [['new', samples.new_count], ['old', samples.old_count]] as const)
    if (count > 0) caption.append(made('span', '', `key ${name}`), `${name}, ${count}`);
}

function showHistory({ history }: Report, of: Case): void {
  const series = history?.series.get(of.name) ?? [], { caption, box } = figure('history', series.length > 0);
  if (history === null || series.length === 0) return;
  const left_out = historyChart(box, history, series);
  caption.textContent = `Medians of ${history.reports.length} reports by class of devices; broken lines: another browser${left_out > 0 ? `; ${left_out} more classes are left out` : ''}`;
}

function sentenceOf(row: Row): string {
  const times = row.new_ms === null ? '' : `, ${timeText(row.new_ms)}${row.old_ms === null ? '' : `, before ${timeText(row.old_ms)}`}`;
  const change = row.effect === null ? '' : `, ${changeText(row.effect.ratio)} (${intervalText(row.effect)}), ${row.pairs} pairs`;
  const classes = row.of.classes.filter(each => each.differs).map(each => ` On ${each.text} it differs: ${changeText(each.ratio)}.`);
  return `${deviceText(row)}${times}${change}: ${verdictText(row)}.${classes.join('')}`;
}

export async function showDetails(report: Report, row: Row): Promise<void> {
  element('case').textContent = row.of.name;
  element('case_text').textContent = sentenceOf(row);
  showEffects(report, row.of);
  showHistory(report, row.of);
  await showDistribution(row);
}
