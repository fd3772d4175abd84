// What of the rows is looked at: a filter, an order, a page of them.
import { standings, type Device, type Report, type Row, type Standing } from './data.ts';

export type Column = 'case' | 'device' | 'median' | 'change' | 'verdict';
export interface Filter { text: string; device: Device | null; verdict: Standing | 'regression' | null }
export interface Order { column: Column; descending: boolean }

export const rows_per_page = 50;

const fits = (row: Row, { text, device, verdict }: Filter): boolean =>
  (device === null || row.device === device) && (verdict === null || (verdict === 'regression' ? row.regression : row.standing === verdict)) &&
  row.of.name.toLowerCase().includes(text.toLowerCase());

const ratioOf = (row: Row): number => row.effect?.ratio ?? 0;
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// What failed the run, then by how it stands, the slowest first.
const byVerdict = (a: Row, b: Row): number =>
  Number(b.regression) - Number(a.regression) || standings.indexOf(a.standing) - standings.indexOf(b.standing) || ratioOf(b) - ratioOf(a) || a.index - b.index;

const ascending: Record<Column, (a: Row, b: Row) => number> = {
  case: (a, b) => byText(a.of.name, b.of.name) || a.index - b.index,
  device: (a, b) => byText(a.device?.name ?? '', b.device?.name ?? '') || a.index - b.index,
  median: (a, b) => (a.new_ms ?? 0) - (b.new_ms ?? 0) || a.index - b.index,
  change: (a, b) => ratioOf(a) - ratioOf(b) || a.index - b.index,
  verdict: byVerdict,
};

export function rowsIn(report: Report, filter: Filter, { column, descending }: Order): Row[] {
  const rows = report.rows.filter(row => fits(row, filter)).sort(ascending[column]);
  return descending ? rows.reverse() : rows;
}

export const pageCount = (rows: readonly Row[]): number => Math.max(1, Math.ceil(rows.length / rows_per_page));
export const pageOf = (rows: readonly Row[], page: number): Row[] => rows.slice(page * rows_per_page, (page + 1) * rows_per_page);

// How many rows stand how, those of no row left out; "regression" is among "slower" and others, too.
export function countsOf(report: Report): [Standing | 'regression', number][] {
  const count = (test: (row: Row) => boolean): number => report.rows.filter(test).length;
  const all: [Standing | 'regression', number][] = [['regression', count(row => row.regression)], ...standings.map((one): [Standing, number] => [one, count(row => row.standing === one)])];
  return all.filter(([, n]) => n > 0);
}
