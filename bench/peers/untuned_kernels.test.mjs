import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelSummary, kernelsMarkdown } from './untuned_kernels.mjs';
import { contests } from './untuned.mjs';

const { own, rival } = contests.webgpu;
const works = [{ of: 'm', text: 'Conv a', count: 3 }, { of: 'm', text: 'Conv b', count: 1 }, { of: 'm', text: 'Conv c', count: 2 }];
const row = (mine, other) => ({ ms: { [own]: mine, [rival]: other }, over: { webgpu: other / mine }, failed: {} });

test('a model takes the sum of its nodes, each as often as it has it, where both ran; the slowest comes first', () => {
  // Given three kernels, of which one did not run on both sides and two are slower, when they are summed up, then the sums are of two, and the slower ones stand in order.
  const { kernels, own_ms, rival_ms, slower } = kernelSummary(works, [row(2, 1), { ms: {}, over: {}, failed: {} }, row(5, 1)], 'webgpu');
  assert.deepEqual([kernels, own_ms, rival_ms], [2, 16, 5]);
  assert.deepEqual(slower.map(({ text }) => text), ['Conv c', 'Conv a']);
});

test('a document lists models and the kernels that are slower', () => {
  // Given one kernel that is slower, when the document is written, then it stands there with its node and its ratio, and the model with its sum.
  const text = kernelsMarkdown(works.slice(0, 1), { version: '1', rounds: 3, backends: ['webgpu'], rows: [row(2, 1)] });
  assert.match(text, /\| m \| 1 \| 1 \| 6\.00 \| 3\.00 \| 0\.50× \|/);
  assert.match(text, /\| m \| Conv a \| 3 \| 2\.00 \| 1\.00 \| 0\.50× \|/);
});
