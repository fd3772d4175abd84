import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlanHead } from '../generated/manifest.ts';
import { lackOf, nearness, rankPlans } from './choose_plan.ts';

const asset = { file: 'f', bytes: 0, sha256: '' };
const head = (made_for: string, more: Partial<PlanHead> = {}): PlanHead => ({
  backend: 'webgpu', made_for, vendor: '', architecture: '', browser: '', features: [], limits: {}, tuned: 0, tasks: 1, memory_bytes: 0, plan: asset, kernels: asset, ...more,
});
const place = { vendor: 'apple', architecture: 'metal-3', browser: 'safari', features: ['shader-f16'], limits: { maxBufferSize: 100 } };
const apple = { vendor: 'apple', architecture: 'metal-3', browser: 'safari' };

test('given plans for several devices, when ranked, then the same device and browser comes first, then the device, then portable ones, then others, each in the manifest\'s order', () => {
  const plans = [
    head('other', { vendor: 'nvidia', architecture: 'ampere', browser: 'safari' }), head('portable'), head('same device', { ...apple, browser: 'chromium' }), head('same', apple), head('portable too'),
    head('another backend', { backend: 'webgl' }),
  ];
  const { choices, refused } = rankPlans({ plans }, 'webgpu', place);
  assert.deepEqual(choices.map(choice => choice.head.made_for), ['same', 'same device', 'portable', 'portable too', 'other']);
  assert.equal(choices[0]?.reason, 'made for this device and browser');
  assert.deepEqual(refused, []);
});

test('given a plan that needs what the device lacks, when ranked, then it is refused in words', () => {
  const plans = [head('halves', { features: ['shader-f16', 'subgroups'] }), head('large', { limits: { maxBufferSize: 101 } }), head('fits', { limits: { maxBufferSize: 100 }, features: ['shader-f16'] })];
  const { choices, refused } = rankPlans({ plans }, 'webgpu', place);
  assert.deepEqual(choices.map(choice => choice.head.made_for), ['fits']);
  assert.deepEqual(refused, ['The plan halves for webgpu does not run here: the device has no subgroups.', 'The plan large for webgpu does not run here: the device has maxBufferSize 100, and 101 is needed.']);
  assert.equal(lackOf({ features: [], limits: { unheard: 1 } }, place), 'has unheard unknown, and 1 is needed');
});

test('given a plan that was the fastest before, when ranked, then it comes first', () => {
  const plans = [head('same', apple), head('other', { vendor: 'nvidia', architecture: 'ampere', browser: 'safari', plan: { ...asset, file: 'fast' } })];
  const { choices } = rankPlans({ plans }, 'webgpu', place, plans[1]);
  assert.deepEqual(choices.map(choice => choice.head.made_for), ['other', 'same']);
  assert.equal(choices[0]?.reason, 'made for another device, and was the fastest here before');
});

test('given a plan for subgroups of one size, when ranked, then it runs on that size alone', () => {
  const lackWith = (size: number): string => lackOf({ features: [], limits: { linearSubgroupSize: 32 } }, { features: [], limits: { linearSubgroupSize: size } });
  assert.equal(lackWith(32), '');
  assert.equal(lackWith(64), 'has linearSubgroupSize 64, and exactly 32 is needed');
  assert.equal(lackWith(16), 'has linearSubgroupSize 16, and exactly 32 is needed');
});

test('given devices of which the browser tells nothing, when a plan names a browser alone, then only that browser is near', () => {
  const silent = { ...place, vendor: '', architecture: '' };
  assert.equal(nearness({ vendor: '', architecture: '', browser: 'safari' }, silent), 3);
  assert.equal(nearness({ vendor: '', architecture: '', browser: 'firefox' }, silent), 0);
  assert.equal(nearness({ vendor: '', architecture: '', browser: '' }, silent), 1);
});
