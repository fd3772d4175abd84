// What the page says, in words. Pure, so that it can be tested without a page.
import type { AgentPicture } from '../core/agent.ts';
import { runsOnProcessor } from '../core/calm.ts';
import type { Fingerprint } from '../generated/protocol.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'idle';

export interface Saying {
  tone: Tone;
  pill: string;       // one or two words
  sentence: string;   // what is going on
  advice: string;     // what to do, or empty
  free?: boolean;     // a job may begin on this device
}

// The first thing that is wrong, else what the device does.
export function describePicture(picture: AgentPicture): Saying {
  const { control, device } = picture;
  if (control.state === 'refused') {
    const { sentence, advice } = splitRefusal(control.message);
    return { tone: 'bad', pill: 'Refused', sentence: `The service refused this page: ${sentence}`, advice };
  }
  if (device.condition === 'unavailable') {
    const { sentence, advice } = splitAdvice(device.message);
    return { tone: 'bad', pill: 'No device', sentence, advice };
  }
  if (device.condition === 'stuck') {
    return { tone: 'bad', pill: 'Stuck', sentence: `${whatOf(device.fingerprint)} has stopped answering: ${device.message}.`, advice: 'Restart the browser. A browser that hone agent started is restarted by it.' };
  }
  if (device.condition === 'recovering') {
    return { tone: 'warn', pill: 'Recovering', sentence: `Opening the device again: ${device.message}.`, advice: '' };
  }
  if (device.condition === 'starting') return { tone: 'idle', pill: 'Starting', sentence: 'Opening the device…', advice: '' };
  if (control.state !== 'connected') {
    const sentence = control.message === '' ? 'Connecting to the service…' : `The service is out of reach: ${control.message}.`;
    return { tone: 'warn', pill: 'Connecting', sentence, advice: 'Is hone up still running? This page keeps trying by itself, and comes back when the service does.' };
  }
  if (picture.model !== '') return { tone: 'good', pill: 'Running', sentence: `Running the model ${picture.model}.`, advice: 'Keep this tab visible.' };
  if (picture.task !== '') return { tone: 'good', pill: 'Measuring', sentence: `Measuring ${kernelsOf(device.fingerprint)}${of(picture.task_name)}.`, advice: 'Keep this tab visible: timings of a hidden tab are thrown away.' };
  if (picture.session) return { tone: 'good', pill: 'In use', sentence: `A job holds this device; waiting for its next ${kernelsOf(device.fingerprint)}.`, advice: device.note };
  return { tone: 'good', pill: 'Ready', sentence: `Ready for ${kernelsOf(device.fingerprint)}, waiting for a job.`, advice: device.note, free: true };
}

function whatOf(fingerprint: Fingerprint | undefined): string {
  return fingerprint?.target === 'wasm' ? 'The kernels\' worker' : 'The GPU';
}

function kernelsOf(fingerprint: Fingerprint | undefined): string {
  if (fingerprint === undefined) return 'kernels';
  const names: Record<string, string> = { wasm: 'WebAssembly kernels', webgl: 'WebGL 2 kernels' };
  return names[fingerprint.target] ?? 'WebGPU kernels';
}

function of(name: string): string {
  return name === '' ? '' : ` of ${name}`;
}

// The probe's words: what is wrong in the first sentence, what to do behind it.
function splitAdvice(message: string): { sentence: string; advice: string } {
  const end = message.indexOf('. ');
  return end < 0 ? { sentence: message, advice: '' } : { sentence: message.slice(0, end + 1), advice: message.slice(end + 2) };
}

// The service's words: "what is wrong; what to do".
function splitRefusal(message: string): { sentence: string; advice: string } {
  const [wrong = '', ...remedies] = message.split('; ');
  return { sentence: `${wrong}.`, advice: remedies.length === 0 ? '' : `${capitalised(remedies.join('; '))}.` };
}

// "Chromium 156 on Linux".
export function browserText({ browser, browser_major, os }: Fingerprint): string {
  return `${capitalised(browser)} ${browser_major} on ${capitalised(os)}`;
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

// parts: what the fingerprint says of the adapter. A processor that does a GPU's work is called software.
export function adapterText(fingerprint: Fingerprint, parts: readonly string[]): string {
  const named = parts.filter(part => part !== '').join(' · ');
  return `${named === '' ? 'unnamed' : named}${runsOnProcessor(fingerprint) ? ' (software)' : ''}`;
}

// A long name may be wrapped behind its underscores.
export function featuresText(features: readonly string[]): string {
  return features.length === 0 ? 'none of importance' : features.map(name => name.replaceAll('_', '_\u200b')).join(', ');
}

export function toneOf(outcome: string): Tone {
  if (outcome === 'ok') return 'good';
  if (outcome === 'unstable') return 'warn';
  return outcome === 'cancelled' ? 'idle' : 'bad';
}

// What an outcome means, where its name alone does not say so; else empty.
export function outcomeHint(outcome: string): string {
  return outcome === 'unstable' ? 'Heat or other work slowed the device, or the tab was hidden, each time that the kernel was timed: its time is not trusted.' : '';
}

// Of the table of these trials: a column that would be empty is left out.
export function trialColumns(trials: readonly { message: string }[]): string[] {
  return ['#', 'Outcome', 'Time', 'Error', ...(trials.some(({ message }) => message !== '') ? ['Remark'] : [])];
}

// waiting: results that the server has not acknowledged. Without a session they stay here, as after a job that was cancelled.
export function deliveryText(waiting: number, session: boolean): string {
  if (waiting === 0) return 'all results are with the server';
  const results = waiting === 1 ? '1 result is' : `${waiting} results are`;
  if (!session) return `${results} kept here until the server asks again`;
  return waiting === 1 ? `${results} on its way to the server` : `${results} on their way to the server`;
}

// 812 µs, 3.42 ms, 1.20 s: three digits.
export function timeText(us: number): string {
  if (us <= 0) return '–';
  if (us < 1000) return `${us.toPrecision(3)} µs`;
  return us < 1e6 ? `${(us / 1000).toPrecision(3)} ms` : `${(us / 1e6).toPrecision(3)} s`;
}

export function bytesText(bytes: number): string {
  if (bytes < 1 << 20) return `${Math.round(bytes / 1024)} KiB`;
  return bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toPrecision(2)} GiB`;
}
