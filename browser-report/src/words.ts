// Numbers as words, as cli/bench_reports/rows.cc has them.
import type { Effect, Row } from './data.ts';

export function changeText(ratio: number): string {
  const percent = (ratio - 1) * 100, text = Math.abs(percent) < 1000 ? percent.toFixed(1) : percent.toPrecision(3);
  return `${percent < 0 ? '' : '+'}${text}\u00a0%`;
}

export function intervalText({ low, high }: Effect): string {
  if (low !== null && high !== null) return `${changeText(low)} to ${changeText(high)}`;
  if (low !== null) return `from ${changeText(low)} on`;
  return high !== null ? `up to ${changeText(high)}` : 'not known';
}

const units = [{ name: 'ns', ms: 1e-6 }, { name: 'µs', ms: 1e-3 }, { name: 'ms', ms: 1 }, { name: 's', ms: 1e3 }];

// Three digits in the unit that fits.
export function timeText(ms: number | null): string {
  if (ms === null || !(ms > 0)) return '-';
  const unit = [...units].reverse().find(one => ms >= one.ms) ?? units[0]!, value = ms / unit.ms;
  return `${value >= 1000 ? value.toFixed(0) : value.toPrecision(3)}\u00a0${unit.name}`;
}

// The same for an axis, without zeros that say nothing.
export const tickText = (ms: number): string => (ms === 0 ? '0' : timeText(ms).replace(/(\.\d*?)0+(?=\u00a0)/, '$1').replace(/\.(?=\u00a0)/, ''));

export const momentText = (unix_ms: number): string => new Date(unix_ms).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';

export const deviceName = (row: Row): string => row.device?.name ?? 'no device';

// The same with what it is, where its name is a label.
export const deviceText = (row: Row): string => (row.device === null || row.device.text === '' || row.device.name.startsWith(row.device.text) ? deviceName(row) : `${row.device.name} (${row.device.text})`);

export function verdictText(row: Row): string {
  return row.message === '' ? row.standing : `${row.standing}: ${row.message}`;
}
