// The data of the page, as cli/bench_reports/page_data.cc writes them. That is hone's own program: what is checked here is that there are data at all.

export const standings = ['slower', 'failed', 'faster', 'inconclusive', 'the same', 'measured', 'skipped'] as const;   // as a row's number says
export type Standing = (typeof standings)[number];

export interface Build { name: string; made_by: string }
export interface Device { name: string; text: string; class: string; target: string; browser: string }
export interface Effect { ratio: number; low: number | null; high: number | null }   // of the new build's time and the old one's
export interface Mean extends Effect { devices: number; slower: number; faster: number }
export interface DeviceClass { text: string; devices: number; ratio: number; differs: boolean }
export interface Case { name: string; source: string; target: string; mean: Mean | null; classes: DeviceClass[] }

export interface Row {
  index: number;             // its line among the samples
  of: Case;
  device: Device | null;     // null: there was none
  standing: Standing;
  regression: boolean;       // slower by more than was permitted
  new_ms: number | null;     // medians
  old_ms: number | null;
  message: string;           // why there is no time; else empty
  effect: Effect | null;     // null: nothing was compared
  pairs: number;
}

export interface Point { report: number; median_ms: number; browsers: string[] }
export interface Series { device_class: string; points: Point[] }
export interface History { reports: { started_unix_ms: number; build: string }[]; series: Map<string, Series[]> }   // by the case's name

export interface Report {
  suite: string;
  started_unix_ms: number;
  took_ms: number;
  new_build: Build;
  old_build: Build | null;
  alpha: number;
  fail_above: number | null;   // a share
  cases: Case[];
  devices: Device[];
  rows: Row[];
  history: History | null;     // null: there is one report
}

type Wire<T, Key extends keyof T, As> = Omit<T, Key> & Record<Key, As>;
type WireMean = [number, number | null, number | null, number, number, number];
type WireCase = Omit<Case, 'mean' | 'classes'> & { mean: WireMean | null; classes: [string, number, number, boolean][] };
type WireRow = [of: number, device: number | null, standing: number, regression: 0 | 1, new_ms: number | null, old_ms: number | null, message?: string,
  ratio?: number, low?: number | null, high?: number | null, pairs?: number];
interface WireHistory { reports: [number, string][]; cases: Record<string, [string, [number, number, string[]][]][]> }
type WireReport = Wire<Omit<Report, 'cases' | 'rows'>, 'history', WireHistory | null> & { cases: WireCase[]; rows: WireRow[] };

function caseOf({ mean, classes, ...rest }: WireCase): Case {
  return {
    ...rest,
    mean: mean && { ratio: mean[0], low: mean[1], high: mean[2], devices: mean[3], slower: mean[4], faster: mean[5] },
    classes: classes.map(([text, devices, ratio, differs]) => ({ text, devices, ratio, differs })),
  };
}

function rowOf(wire: WireRow, index: number, cases: Case[], devices: Device[]): Row {
  const [of, device, standing, regression, new_ms, old_ms, message = '', ratio, low = null, high = null, pairs = 0] = wire;
  return {
    index, of: cases[of]!, device: device === null ? null : devices[device]!, standing: standings[standing]!, regression: regression === 1, new_ms, old_ms, message,
    effect: ratio === undefined ? null : { ratio, low, high }, pairs,
  };
}

function historyOf({ reports, cases }: WireHistory): History {
  const series = Object.entries(cases).map(([name, classes]): [string, Series[]] => [
    name, classes.map(([device_class, points]) => ({ device_class, points: points.map(([report, median_ms, browsers]) => ({ report, median_ms, browsers })) })),
  ]);
  return { reports: reports.map(([started_unix_ms, build]) => ({ started_unix_ms, build })), series: new Map(series) };
}

// Devices that are equal for people have numbers.
function numbered(devices: Device[]): Device[] {
  const seen = new Map<string, number>();
  return devices.map(device => {
    const count = (seen.get(device.name) ?? 0) + 1;
    seen.set(device.name, count);
    return count === 1 ? device : { ...device, name: `${device.name} (${count})` };
  });
}

export function readReport(json: string): Report {
  const wire = JSON.parse(json) as WireReport;
  const cases = wire.cases.map(caseOf), devices = numbered(wire.devices);
  return { ...wire, cases, devices, rows: wire.rows.map((row, index) => rowOf(row, index, cases, devices)), history: wire.history && historyOf(wire.history) };
}
