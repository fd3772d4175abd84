// The three drawings, by uPlot: a canvas each, in the page's colours.
import uPlot from 'uplot';
import type { Effect, History, Series } from './data.ts';
import { histogramOf, type Samples } from './samples.ts';
import { momentText, tickText, timeText } from './words.ts';

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const font = '12px system-ui, sans-serif';
const tallest = 60;           // effects in one drawing
const lines_max = 8;          // series in one drawing
const line_colors = 6;

function axis(more: uPlot.Axis): uPlot.Axis {
  return { stroke: color('soft'), font, grid: { stroke: color('grid'), width: 1 }, ticks: { stroke: color('grid'), width: 1, size: 4 }, ...more };
}

const base = (box: HTMLElement, height: number): Pick<uPlot.Options, 'width' | 'height' | 'cursor'> => ({ width: Math.max(200, box.clientWidth), height, cursor: { drag: { x: false, y: false } } });

function put(box: HTMLElement, options: uPlot.Options, data: uPlot.AlignedData): uPlot {
  box.replaceChildren();
  return new uPlot(options, data, box);
}

export interface NamedEffect extends Effect { name: string; strong?: boolean }

const percent = (ratio: number): number => (ratio - 1) * 100;

// Over all estimates, and of the intervals what lies near.
function percentRange(effects: readonly NamedEffect[]): [number, number] {
  const estimates = [0, ...effects.map(effect => percent(effect.ratio))];
  const low = Math.min(...estimates), high = Math.max(...estimates), near = Math.max(1, (high - low) * 1.2);
  const ends = effects.flatMap(effect => [effect.low, effect.high]).filter(end => end !== null).map(percent);
  const from = Math.max(low - near, Math.min(low, ...ends)), to = Math.min(high + near, Math.max(high, ...ends)), margin = (to - from || 1) * 0.05;
  return [from - margin, to + margin];
}

// Of a long text the beginning and the end, which tells more.
function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const shortened = (kept: number): string => `${text.slice(0, Math.floor(kept * 0.4))}…${text.slice(text.length - Math.ceil(kept * 0.6))}`;
  if (context.measureText(text).width <= width) return text;
  let kept = text.length - 1;
  while (kept > 1 && context.measureText(shortened(kept)).width > width) --kept;
  return shortened(kept);
}

function drawEffects(plot: uPlot, effects: readonly NamedEffect[]): void {
  const { ctx, bbox } = plot, pixel = devicePixelRatio;
  const at = (value: number): number => Math.min(bbox.left + bbox.width, Math.max(bbox.left, plot.valToPos(value, 'y', true)));
  const zero = at(0);
  ctx.save();
  ctx.lineWidth = pixel;
  ctx.strokeStyle = color('soft');
  ctx.strokeRect(zero, bbox.top, 0, bbox.height);
  for (const [i, effect] of effects.entries()) {
    const y = plot.valToPos(i, 'x', true);
    const left = effect.low === null ? bbox.left : at(percent(effect.low)), right = effect.high === null ? bbox.left + bbox.width : at(percent(effect.high));
    const surely = left > zero ? 'bad' : right < zero ? 'good' : 'soft';
    ctx.strokeStyle = ctx.fillStyle = color(surely);
    ctx.lineWidth = 2 * pixel;
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(right, y);
    ctx.stroke();
    const size = (effect.strong ? 5 : 4) * pixel, x = at(percent(effect.ratio));
    ctx.beginPath();
    if (effect.strong) for (const [dx, dy] of [[-size, 0], [0, -size], [size, 0], [0, size]] as const) ctx.lineTo(x + dx, y + dy);
    else ctx.arc(x, y, size, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.restore();
}

// A line for each effect with its interval, the slowest first; green and red where it surely is one. Of many the greatest. Returns how many are left out.
export function effectsChart(box: HTMLElement, all: readonly NamedEffect[]): number {
  const greatest = [...all].sort((a, b) => Number(b.strong ?? false) - Number(a.strong ?? false) || Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, tallest);
  const effects = greatest.sort((a, b) => Number(a.strong ?? false) - Number(b.strong ?? false) || b.ratio - a.ratio), [from, to] = percentRange(effects);
  const frame = base(box, 50 + 22 * effects.length), context = document.createElement('canvas').getContext('2d')!;
  context.font = font;
  const room = frame.width * 0.42, names = effects.map(effect => fitted(context, effect.name, room));
  const size = Math.ceil(Math.max(...names.map(name => context.measureText(name).width))) + 12;
  put(box, {
    ...frame, cursor: { show: false }, legend: { show: false },
    scales: { x: { time: false, ori: 1, dir: -1, range: [-0.6, effects.length - 0.4] }, y: { ori: 0, range: [from, to] } },
    axes: [
      axis({ side: 3, size, splits: effects.map((_, i) => i), values: names, grid: { show: false }, ticks: { show: false } }),
      axis({ side: 2, size: 30, space: 60, values: (_, marks) => marks.map(mark => `${mark > 0 ? '+' : ''}${Number(mark.toPrecision(6))} %`) }),
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [plot => drawEffects(plot, effects)] },
  }, [effects.map((_, i) => i), effects.map(effect => percent(effect.ratio))]);
  return all.length - effects.length;
}

const timeAxis = (more: uPlot.Axis): uPlot.Axis => axis({ values: (_, marks) => marks.map(tickText), ...more });

// How the samples of both sides lie.
export function distributionChart(box: HTMLElement, samples: Samples): void {
  const { edges_ms, new_share, old_share } = histogramOf(samples);
  const sides = [[new_share, 'new', samples.new_count], [old_share, 'old', samples.old_count]] as const;
  const shown = sides.filter(([, , count]) => count > 0);
  const stepped = uPlot.paths.stepped!({ align: 1 });
  put(box, {
    ...base(box, 230), cursor: { show: false }, legend: { show: false },
    scales: { x: { time: false, range: [edges_ms[0]!, edges_ms.at(-1)!] }, y: { range: [0, Math.max(...shown.flatMap(([share]) => share)) * 1.08] } },
    axes: [timeAxis({ size: 30, space: 70 }), axis({ size: 48, values: (_, marks) => marks.map(mark => `${Number((mark * 100).toPrecision(4))} %`) })],
    series: [{}, ...shown.map(([, name]): uPlot.Series => ({ stroke: color(name), fill: `${color(name)}40`, width: 2, paths: stepped, points: { show: false } }))],
  }, [edges_ms, ...shown.map(([share]) => [...share, 0])]);
}

interface Mark { at: number; text: string }   // at: seconds

// Where a class has a browser that it did not have in the report before: a mark for each such report.
export function browserChanges(series: readonly Series[], moments_s: readonly number[]): Mark[] {
  const found = new Map<number, Set<string>>();
  for (const { points } of series)
    for (const [i, { report, browsers }] of points.entries()) {
      const before = points[i - 1];
      const fresh = before === undefined ? [] : browsers.filter(browser => !before.browsers.includes(browser));
      if (fresh.length > 0) found.set(report, new Set([...found.get(report) ?? [], ...fresh]));
    }
  return [...found].sort(([a], [b]) => a - b).map(([report, [first, ...more]]) => ({ at: moments_s[report]!, text: more.length > 0 ? `${first} and ${more.length} more` : String(first) }));
}

function drawMarks(plot: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plot, pixel = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color('soft');
  ctx.font = `${11 * pixel}px system-ui, sans-serif`;
  ctx.setLineDash([4 * pixel, 4 * pixel]);
  for (const [i, { at, text }] of marks.entries()) {
    const x = plot.valToPos(at, 'x', true), left = x > bbox.left + bbox.width * 0.6;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.textAlign = left ? 'right' : 'left';
    ctx.fillText(fitted(ctx, text, bbox.width * 0.55), x + (left ? -4 : 4) * pixel, bbox.top + (12 + 14 * (i % 3)) * pixel);
  }
  ctx.restore();
}

// Medians over the reports, a line for each class of devices; a broken line stands where a browser changed.
export function historyChart(box: HTMLElement, { reports }: History, all: readonly Series[]): number {
  const series = all.slice(0, lines_max), moments_s = reports.map(report => report.started_unix_ms / 1000);
  const lines = series.map(({ points }) => {
    const of = new Map(points.map(point => [point.report, point.median_ms]));
    return reports.map((_, i) => of.get(i) ?? null);
  });
  const highest = Math.max(...lines.flat().map(ms => ms ?? 0)), marks = browserChanges(series, moments_s);
  const days = moments_s.at(-1)! - moments_s[0]! > 4 * 86_400;   // whole days are enough on the axis
  put(box, {
    ...base(box, 230),
    tzDate: at => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    scales: { x: { time: true }, y: { range: [0, highest * (marks.length > 0 ? 1.4 : 1.15)] } },
    axes: [axis({ size: 30, space: days ? 60 : 100, values: (_, marks) => marks.map(mark => momentText(mark * 1000).slice(5, days ? 10 : 16)) }), timeAxis({ size: 62 })],
    series: [
      { label: 'UTC', value: (_, at) => (at === null ? '' : momentText(at * 1000).slice(0, 16)) },
      ...series.map(({ device_class }, i): uPlot.Series => ({
        label: device_class, stroke: color(`line${i % line_colors + 1}`), width: 2, spanGaps: true, points: { show: true, size: 6 }, value: (_, ms) => (ms === null ? '' : timeText(ms)),
        ...(i < line_colors ? {} : { dash: [6, 4] }),
      })),
    ],
    hooks: { draw: [plot => drawMarks(plot, marks)] },
  }, [moments_s, ...lines]);
  return all.length - series.length;
}
