import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprint } from '../../test/samples.ts';
import type { AgentPicture } from '../core/agent.ts';
import { adapterText, browserText, featuresText, bytesText, deliveryText, describePicture, outcomeHint, timeText, trialColumns } from './wording.ts';

const ready: AgentPicture = {
  control: { state: 'connected', message: '' }, device: { condition: 'ready', message: '', note: '', fingerprint: undefined, timer: undefined, device_key: '' },
  agent_id: 'a', session: false, task: '', last_task: '', task_name: '', model: '', trials: 0, outcomes: {}, best_us: {}, recent: [], unacknowledged: 0, trials_per_second: 0,
};

test('given a page without WebGPU, when described, then one sentence says why and another what to do', () => {
  const saying = describePicture({ ...ready, device: { ...ready.device, condition: 'unavailable', message: 'This page is not a secure context, so the browser hides WebGPU. Open it as http://localhost.' } });
  assert.equal(saying.sentence, 'This page is not a secure context, so the browser hides WebGPU.');
  assert.equal(saying.advice, 'Open it as http://localhost.');
  assert.equal(saying.tone, 'bad');
});

test('given each state of device and connection, when described, then the pill names what matters most', () => {
  const device = (condition: AgentPicture['device']['condition']): AgentPicture => ({ ...ready, device: { ...ready.device, condition } });
  assert.equal(describePicture(device('starting')).pill, 'Starting');
  assert.equal(describePicture(device('recovering')).pill, 'Recovering');
  assert.equal(describePicture(device('stuck')).pill, 'Stuck');
  assert.equal(describePicture({ ...ready, control: { state: 'waiting', message: 'closed' } }).pill, 'Connecting');
  assert.equal(describePicture({ ...ready, control: { state: 'refused', message: 'no' } }).pill, 'Refused');
  assert.equal(describePicture(ready).pill, 'Ready');
  assert.equal(describePicture({ ...ready, session: true }).pill, 'In use');
  assert.equal(describePicture({ ...ready, session: true, task: 't' }).pill, 'Measuring');
});

test('given a service that is gone or refuses, when described, then each thing is said once, and that it comes back by itself', () => {
  const lost = describePicture({ ...ready, control: { state: 'waiting', message: 'the connection closed' } });
  assert.equal(lost.sentence, 'The service is out of reach: the connection closed.');
  assert.match(lost.advice, /comes back when the service does\.$/);
  assert.equal(describePicture({ ...ready, control: { state: 'connecting', message: '' } }).sentence, 'Connecting to the service…');
  const refused = describePicture({ ...ready, control: { state: 'refused', message: 'the token is wrong; open the URL that hone up prints' } });
  assert.deepEqual([refused.sentence, refused.advice], ['The service refused this page: the token is wrong.', 'Open the URL that hone up prints.']);
  assert.equal(describePicture({ ...ready, control: { state: 'refused', message: 'no' } }).sentence, 'The service refused this page: no.');
});

test('given outcomes and trials, when shown, then unstable is explained, and remarks have a column where there are some', () => {
  assert.match(outcomeHint('unstable'), /its time is not trusted/);
  assert.equal(outcomeHint('ok'), '');
  assert.deepEqual(trialColumns([{ message: '' }]), ['#', 'Outcome', 'Time', 'Error']);
  assert.equal(trialColumns([{ message: '' }, { message: 'it was too slow' }]).at(-1), 'Remark');
});

test('given a page that brings WebAssembly, when described, then the words name it, and the note on the device stands beside them', () => {
  const device = { ...ready.device, fingerprint: { ...fingerprint, target: 'wasm' }, note: 'One thread.' };
  const saying = describePicture({ ...ready, device });
  assert.equal(saying.sentence, 'Ready for WebAssembly kernels, waiting for a job.');
  assert.equal(saying.advice, 'One thread.');
  assert.equal(saying.free, true);
  assert.match(describePicture({ ...ready, device, task: 't' }).sentence, /WebAssembly kernels/);
  assert.match(describePicture({ ...ready, device: { ...ready.device, fingerprint } }).sentence, /WebGPU kernels/);
});

test('given a page that brings WebGL, when described, then the words name it', () => {
  const saying = describePicture({ ...ready, device: { ...ready.device, fingerprint: { ...fingerprint, target: 'webgl' } } });
  assert.equal(saying.sentence, 'Ready for WebGL 2 kernels, waiting for a job.');
});

test('given a task or a model in work, when described, then the sentence has its name, and no job is asked for', () => {
  const device = { ...ready.device, fingerprint };
  const measuring = describePicture({ ...ready, device, session: true, task: 'c299544ac71e3816', task_name: 'matmul 512x512x512' });
  assert.equal(measuring.sentence, 'Measuring WebGPU kernels of matmul 512x512x512.');
  assert.equal(measuring.free, undefined);
  const running = describePicture({ ...ready, device, session: true, model: 'resnet18.onnx' });
  assert.deepEqual([running.pill, running.sentence], ['Running', 'Running the model resnet18.onnx.']);
});

test('given times and sizes, when written, then they have three digits and a unit', () => {
  assert.deepEqual([0, 12.345, 3421.9, 1.2e6].map(timeText), ['–', '12.3 µs', '3.42 ms', '1.20 s']);
  assert.deepEqual([32768, 128 << 20, 2 ** 30].map(bytesText), ['32 KiB', '128 MiB', '1.0 GiB']);
});

test('given results under way, when counted, then one is one', () => {
  assert.deepEqual([0, 1, 2].map(waiting => deliveryText(waiting, true)), ['all results are with the server', '1 result is on its way to the server', '2 results are on their way to the server']);
  assert.deepEqual([0, 1, 2].map(waiting => deliveryText(waiting, false)), [
    'all results are with the server', '1 result is kept here until the server asks again', '2 results are kept here until the server asks again',
  ]);
});

test('given a fingerprint, when told to people, then the browser and its system are names, an adapter in software is called so, and a long feature may be wrapped', () => {
  const one = { ...fingerprint, browser: 'chromium', browser_major: 156, os: 'linux', vendor: 'google', architecture: 'swiftshader' };
  assert.equal(browserText(one), 'Chromium 156 on Linux');
  assert.equal(adapterText(one, ['google', 'swiftshader', '']), 'google · swiftshader (software)');
  assert.equal(adapterText({ ...one, vendor: 'intel', architecture: 'gen-12lp' }, ['intel', 'gen-12lp']), 'intel · gen-12lp');
  assert.equal(featuresText(['packed_4x8']), 'packed_\u200b4x8');
});
