import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdown, rowOf } from './report.mjs';

const answer = { device: { vendor: '', architecture: 'x86-64', device: '', description: 'x86-64' },
  variants: [{ model_ms_median: 4.123, model_ms_p10: 4, model_ms_p90: 123.4, run_ms: [4, 5], launches: 8, schedules: { tuned: 5, seed: 1, naive: 0 } }] };

test('given an answer of hone bench, when it is a row, then it has the times, how many runs there were, and each word of the device once', () => {
  assert.deepEqual(rowOf(answer), { ms: 4.123, p10: 4, p90: 123.4, runs: 2, launches: 8, tuned: 5, tasks: 6, device: 'x86-64' });
});

test('given rows of which one failed, when they are written, then the table says so, and the chart has the others', () => {
  const text = markdown({ runs: 100, rows: [{ model: 'resnet18', place: 'native', ...rowOf(answer) }, { model: 'resnet18', place: 'opencl', failed: 'no driver' }] });
  assert.match(text, /\| resnet18 \| native, LLVM \| 4\.12 \| 4\.00–123 \| 2 \| 5 of 6 \| x86-64 \|/);
  assert.match(text, /\| resnet18 \| OpenCL \| – \|.*failed: no driver/);
  assert.match(text, /x-axis \["native, LLVM"\]\n.*\n {2}bar \[242\.5\]/);
});
