// The page's picture of the agent: what it is, how it does, what it measured last.
import { recent_max, type AgentPicture } from '../core/agent.ts';
import type { Fingerprint, Timer } from '../generated/protocol.ts';
import { CommandLine } from './command_line.ts';
import { drawing, element, facts, hinted, refresh, shape } from './elements.ts';
import { tuneCommand } from './tune_command.ts';
import { adapterText, browserText, bytesText, deliveryText, describePicture, featuresText, outcomeHint, timeText, toneOf, trialColumns, type Saying } from './wording.ts';

const rows_shown = 10;
const chart_width = 400;
const chart_height = 90;
const bar_height = 10;
const stub_height = 4;

export class StatusView {
  readonly #saying = element('div', 'saying');
  readonly #command = new CommandLine();
  readonly #cards = element('div', 'cards');
  readonly #recent = element('div', 'recent');
  #who: string;   // the browser, once it is known; until then the agent's name

  // token: that of the page's URL; empty where it has none.
  constructor(root: HTMLElement, name: string, private readonly token: string) {
    this.#who = name;
    root.replaceChildren(this.#saying, this.#command.root, this.#cards, this.#recent);
    this.#command.show('');
  }

  show(picture: AgentPicture): void {
    const saying = describePicture(picture);
    const { fingerprint } = picture.device;
    if (fingerprint !== undefined) this.#who = browserText(fingerprint);
    this.#say(saying);
    this.#command.show(saying.free === true ? tuneCommand(new URL(location.href), picture.control.role === 'agent' ? '' : this.token, picture.device.fingerprint?.target ?? 'webgpu') : '');
    refresh(this.#cards, deviceCard(picture), workCard(picture));
    refresh(this.#recent, ...recentCards(picture));
  }

  showStarting(): void {
    this.#showOnly({ tone: 'idle', pill: 'Starting', sentence: 'Opening the device…', advice: '' });
  }

  showMissingToken(): void {
    this.#showOnly({
      tone: 'bad', pill: 'No token', sentence: 'This address lacks its token, so the service would refuse the page.',
      advice: 'Open the whole URL that hone up printed: it ends in #token=… (or that of hone enroll, which ends in #enroll=…).',
    });
  }

  showBroken(why: string): void {
    this.#showOnly({ tone: 'bad', pill: 'Broken', sentence: `The agent's worker does not run: ${why}.`, advice: 'Reload the page; if it stays so, build the agent again (scripts/build).' });
  }

  #showOnly(saying: Saying): void {
    this.#say(saying);
    this.#command.show('');
    refresh(this.#cards);
    refresh(this.#recent);
  }

  #say({ tone, pill, sentence, advice }: Saying): void {
    document.title = `${pill} · hone agent`;
    const header = element('header', '', icon(), element('h1', '', 'hone agent'), element('span', 'who', this.#who), element('span', `pill ${tone}`, pill));
    refresh(this.#saying, header, element('p', 'say', sentence, element('small', '', advice)));
  }
}

function icon(): HTMLElement {
  const image = element('img', '');
  image.setAttribute('src', 'icon.svg');
  image.setAttribute('alt', '');
  return image;
}

function card(title: string, ...content: Node[]): HTMLElement {
  return element('section', 'card', element('h2', '', title), ...content);
}

function deviceCard({ device }: AgentPicture): HTMLElement {
  const { fingerprint, timer } = device;
  if (fingerprint === undefined) return card('Device', element('p', 'empty', 'No device yet.'));
  const rows = factsOf(fingerprint);
  return card('Device', facts([
    ...rows,
    ['Browser', browserText(fingerprint)],
    ['Clock', timer === undefined ? '–' : clockText(timer)],
    ['Key', element('code', '', device.device_key === '' ? '–' : device.device_key.slice(0, 12))],
  ]));
}

function factsOf(fingerprint: Fingerprint): [string, string][] {
  if (fingerprint.target === 'wasm') return processorFacts(fingerprint);
  return fingerprint.target === 'webgl' ? contextFacts(fingerprint) : adapterFacts(fingerprint);
}

function contextFacts(fingerprint: Fingerprint): [string, string][] {
  const { vendor, device, backend, limits } = fingerprint;
  const { MAX_TEXTURE_SIZE: size = 0, MAX_ARRAY_TEXTURE_LAYERS: layers = 0, MAX_DRAW_BUFFERS: targets = 0, MAX_TEXTURE_IMAGE_UNITS: units = 0 } = limits;
  return [
    ['Kernels', 'WebGL 2'],
    ['Adapter', adapterText(fingerprint, [vendor, device, backend])],
    ['Textures', `up to ${size} × ${size}, ${layers} layers`],
    ['Fragments', `read ${units} textures, write ${targets} at once`],
  ];
}

function adapterFacts(fingerprint: Fingerprint): [string, string][] {
  const { vendor, architecture, description, features, limits } = fingerprint;
  const interesting = features.filter(feature => ['shader-f16', 'subgroups', 'packed_4x8_integer_dot_product', 'timestamp-query'].includes(feature));
  const { maxComputeWorkgroupStorageSize: shared = 0, maxComputeInvocationsPerWorkgroup: threads = 0, maxStorageBufferBindingSize: binding = 0 } = limits;
  return [
    ['Kernels', 'WebGPU'],
    ['Adapter', adapterText(fingerprint, [vendor, architecture, description])],
    ['Workgroup', `${threads} threads, ${bytesText(shared)} shared`],
    ['Buffers', `up to ${bytesText(binding)}`],
    ['Features', featuresText(interesting)],
  ];
}

function processorFacts({ architecture, description, features, limits }: Fingerprint): [string, string][] {
  const { threads = 1, memory_bytes_max: memory = 0 } = limits;
  return [
    ['Kernels', description],
    ['Processor', `${architecture === '' ? 'unnamed' : architecture}, ${threads} ${threads === 1 ? 'thread' : 'threads'}`],
    ['Memory', `up to ${bytesText(memory)}`],
    ['Features', featuresText(features)],
  ];
}

function clockText({ method, quantum_ns }: Timer): string {
  const step = quantum_ns < 1000 ? `${Math.round(quantum_ns)} ns` : timeText(quantum_ns / 1000);
  if (method === 'clock') return `around each kernel, step ${step}`;
  return method === 'timestamp' ? `GPU timestamps, step ${step}` : `wall-clock slope, step ${step}`;
}

function workCard(picture: AgentPicture): HTMLElement {
  const figure = (value: string, what: string): HTMLElement => element('div', 'figure', element('b', '', value), element('span', '', what));
  const task = picture.task === '' ? picture.last_task : picture.task;
  const best = picture.best_us[task] ?? 0;
  return card('Work',
    ...(picture.task_name === '' ? [] : [element('p', 'name', picture.task_name)]),
    element('div', 'figures', figure(String(picture.trials), 'kernels tried'), figure(picture.trials_per_second.toFixed(1), 'per second'), figure(timeText(best), 'best of this task')),
    ...(picture.trials === 0 ? [element('p', 'empty', 'Nothing was measured yet.')] : [outcomesBar(picture), timesChart(picture)]),
    ...(picture.trials === 0 ? [] : [element('div', 'legend', deliveryText(picture.unacknowledged, picture.session))]),
  );
}

function outcomesBar({ outcomes, trials }: AgentPicture): HTMLElement {
  const entries = Object.entries(outcomes).sort(([, a], [, b]) => b - a);
  let x = 0;
  const bars = entries.map(([outcome, count]) => {
    const width = chart_width * count / trials;
    const bar = shape('rect', { x: x.toFixed(2), y: '0', width: width.toFixed(2), height: String(bar_height), class: toneOf(outcome) });
    x += width;
    return bar;
  });
  return element('div', '', drawing(chart_width, bar_height, ...bars), element('div', 'legend', ...entries.map(([outcome, count]) =>
    hinted(element('span', '', element('span', `swatch ${toneOf(outcome)}`), `${outcome.replaceAll('_', ' ')} `, element('b', '', String(count))), outcomeHint(outcome)))));
}

// The last results, newest at the right, on a logarithmic scale, shorter is faster; what has no time is a stub.
function timesChart({ recent, last_task, best_us }: AgentPicture): HTMLElement {
  const timed = recent.filter(result => result.latency_us > 0).map(result => Math.log(result.latency_us));
  const low = Math.min(...timed) - 0.2, high = Math.max(...timed) + 0.1;
  const yOf = (us: number): number => chart_height * (1 - (Math.log(us) - low) / (high - low));
  const step = chart_width / recent_max;
  const bars = [...recent].reverse().map((result, i) => {
    const top = result.latency_us > 0 ? yOf(result.latency_us) : chart_height - stub_height;
    return shape('rect', { x: (i * step + 1).toFixed(2), y: top.toFixed(2), width: (step - 2).toFixed(2), height: (chart_height - top).toFixed(2), class: toneOf(result.outcome) });
  });
  const best = best_us[last_task];
  if (best !== undefined) bars.push(shape('line', { x1: '0', x2: String(chart_width), y1: yOf(best).toFixed(2), y2: yOf(best).toFixed(2), class: 'best' }));
  return element('div', 'chart', drawing(chart_width, chart_height, ...bars), element('div', 'legend', element('span', '', 'times of the last trials, shorter is faster')));
}

// Under each task's name its trials.
function recentCards({ recent }: AgentPicture): HTMLElement[] {
  if (recent.length === 0) return [];
  const shown = recent.slice(0, rows_shown);
  const columns = trialColumns(shown);
  const head = element('tr', '', ...columns.map(name => element('th', classOf(name), name)));
  const rows = shown.flatMap((result, i) => [...(result.task === shown[i - 1]?.task ? [] : [taskRow(result.task_name, columns.length)]), trialRow(result, columns)]);
  return [card('Latest trials', element('table', '', element('thead', '', head), element('tbody', '', ...rows)))];
}

function taskRow(name: string, columns: number): HTMLElement {
  const cell = element('th', 'task', name);
  cell.setAttribute('colspan', String(columns));
  return element('tr', 'of', cell);
}

function trialRow({ number, outcome, latency_us, max_error, message }: AgentPicture['recent'][number], columns: readonly string[]): HTMLElement {
  const cells = [String(number), outcome.replaceAll('_', ' '), timeText(latency_us), latency_us > 0 ? max_error.toExponential(1) : '–', message.split('\n')[0]?.slice(0, 200) ?? ''];
  const row = element('tr', '', ...columns.map((name, i) => element('td', classOf(name), cells[i] ?? '')));
  row.children[1]?.classList.add(toneOf(outcome));
  return row;
}

// A narrow page sets the cells of a row by their classes.
function classOf(column: string): string {
  return column === '#' ? 'count' : column.toLowerCase();
}
