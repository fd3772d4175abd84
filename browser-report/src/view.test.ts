// Data as hone writes them, filtered, ordered and in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserChanges } from './charts.ts';
import { readReport } from './data.ts';
import { histogramOf, readSamples } from './samples.ts';
import { countsOf, pageCount, pageOf, rowsIn, rows_per_page } from './view.ts';
import { changeText, intervalText, tickText, timeText } from './words.ts';

const nbsp = '\u00a0';
const device = (name: string): object => ({ name, text: name, class: name, target: 'webgpu', browser: '' });
const wire = {
  suite: 's', started_unix_ms: 1, took_ms: 1, new_build: { name: 'new', made_by: '' }, old_build: null, alpha: 0.01, fail_above: 0.03,
  cases: [{ name: '__proto__', source: '', target: 'webgpu', mean: [1.2, null, 1.3, 2, 1, 0], classes: [['c', 1, 1.5, true]] }, { name: 'Softmax', source: '', target: 'webgpu', mean: null, classes: [] }],
  devices: [device('a'), device('b')],
  rows: [[0, 0, 4, 0, 1, 1, '', 1, 0.99, 1.01, 60], [0, 1, 0, 1, 2, 1, '', 1.5, 1.4, null, 60], [1, null, 6, 0, null, null, 'no device'], [1, 0, 2, 0, 1, 1, '', 0.9, 0.8, 0.95, 30]],
  history: { reports: [[1, 'x'], [2, 'y']], cases: { Softmax: [['c', [[0, 1, ['old']], [1, 2, ['new', 'old']]]]] } },
};
const report = readReport(JSON.stringify(wire));
const everything = { text: '', device: null, verdict: null };

test('given data, when read, then rows know their case and device, and what was not compared has no effect', () => {
  assert.equal(report.rows[1]?.of, report.cases[0]);
  assert.equal(report.rows[1]?.device?.name, 'b');
  assert.deepEqual(report.rows[1]?.effect, { ratio: 1.5, low: 1.4, high: null });
  assert.deepEqual([report.rows[2]?.device, report.rows[2]?.effect, report.rows[2]?.message], [null, null, 'no device']);
  assert.deepEqual(report.history?.series.get('Softmax')?.[0]?.points[1], { report: 1, median_ms: 2, browsers: ['new', 'old'] });
});

test('given devices that are equal for people, when read, then they have numbers', () => {
  const { devices } = readReport(JSON.stringify({ ...wire, devices: [device('a'), device('a'), device('b'), device('a')] }));
  assert.deepEqual(devices.map(one => one.name), ['a', 'a (2)', 'b', 'a (3)']);
});

test('given rows, when nothing is asked for, then a regression is first and what was skipped last; each filter leaves what fits it', () => {
  const order = { column: 'verdict', descending: false } as const, indexes = (filter: object) => rowsIn(report, { ...everything, ...filter }, order).map(row => row.index);
  assert.deepEqual(indexes({}), [1, 3, 0, 2]);
  assert.deepEqual(indexes({ text: 'soft' }), [3, 2]);
  assert.deepEqual(indexes({ device: report.devices[0] }), [3, 0]);
  assert.deepEqual(indexes({ verdict: 'regression' }), [1]);
  assert.deepEqual(indexes({ verdict: 'skipped', text: 'x' }), [2]);
  assert.deepEqual(rowsIn(report, everything, { column: 'change', descending: true }).map(row => row.index), [1, 0, 3, 2]);
  assert.deepEqual(countsOf(report), [['regression', 1], ['slower', 1], ['faster', 1], ['the same', 1], ['skipped', 1]]);
});

test('given more rows than a page has, when turned, then each row is on one page', () => {
  const rows = Array.from({ length: rows_per_page * 2 + 1 }, () => report.rows[0]!);
  assert.equal(pageCount(rows), 3);
  assert.deepEqual([0, 1, 2].map(page => pageOf(rows, page).length), [rows_per_page, rows_per_page, 1]);
  assert.equal(pageCount([]), 1);
});

test('given a line of samples, when read, then they lie between the ends; an empty line has none', () => {
  const packed = (...steps: number[]): string => btoa(String.fromCharCode(...steps.flatMap(step => [step & 255, step >> 8])));
  const samples = readSamples(`1 3 2 300 ${packed(0, 65535)} ${packed(32768)}`);
  assert.deepEqual([...samples!.new_ms], [1, 3]);
  assert.ok(Math.abs(samples!.old_ms[0]! - 2) < 1e-4);
  assert.equal(samples!.old_count, 300);
  assert.equal(readSamples(''), null);
});

test('given samples of one side or all equal, when a histogram is made, then its shares add up to one', () => {
  const sum = (shares: number[]): number => shares.reduce((a, b) => a + b, 0);
  const { edges_ms, new_share, old_share } = histogramOf({ new_ms: Float64Array.of(1, 1.5, 2), old_ms: Float64Array.of(), new_count: 3, old_count: 0 }, 4);
  assert.deepEqual(edges_ms, [1, 1.25, 1.5, 1.75, 2]);
  assert.ok(Math.abs(sum(new_share) - 1) < 1e-9);
  assert.equal(sum(old_share), 0);
  assert.equal(sum(histogramOf({ new_ms: Float64Array.of(5), old_ms: Float64Array.of(5), new_count: 1, old_count: 1 }).new_share), 1);
});

test('given numbers, when they are words, then they are those of the other reports', () => {
  assert.deepEqual([1.052, 0.88, 21].map(changeText), [`+5.2${nbsp}%`, `-12.0${nbsp}%`, `+2.00e+3${nbsp}%`]);
  assert.equal(intervalText({ ratio: 1, low: 1.01, high: 1.02 }), `+1.0${nbsp}% to +2.0${nbsp}%`);
  assert.equal(intervalText({ ratio: 1, low: null, high: null }), 'not known');
  assert.deepEqual([4.18e-5, 0.826, 12.3, 1230, null].map(timeText), [`41.8${nbsp}ns`, `826${nbsp}µs`, `12.3${nbsp}ms`, `1.23${nbsp}s`, '-']);
  assert.deepEqual([0, 0.5, 100, 1.25].map(tickText), ['0', `500${nbsp}µs`, `100${nbsp}ms`, `1.25${nbsp}ms`]);
});

test('given a series in which a browser comes, when marks are made, then it has one at that report, and what only went has none', () => {
  const series = (...browsers: string[][]) => [{ device_class: 'c', points: browsers.map((one, report) => ({ report, median_ms: 1, browsers: one })) }];
  assert.deepEqual(browserChanges(series(['a'], ['b', 'c', 'a'], ['a']), [10, 20, 30]), [{ at: 20, text: 'b and 1 more' }]);
  assert.deepEqual(browserChanges(series(['a'], ['a']), [10, 20]), []);
});
