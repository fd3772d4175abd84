import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DriftMonitor } from './drift.ts';

function settled(values: readonly number[]): DriftMonitor {
  const monitor = new DriftMonitor();
  for (const value of values) monitor.observe(value);
  return monitor;
}

test('given a steady device, when the reference is 4 % off it is fine, when 20 % off it has drifted', () => {
  assert.equal(settled([100, 101, 99, 100, 100]).observe(104), false);
  assert.equal(settled([100, 101, 99, 100, 100]).observe(120), true);
  assert.equal(settled([100, 101, 99, 100, 100]).observe(80), true);
});

test('given a noisy device, when the reference stays within 3 MAD, then it has not drifted', () => {
  assert.equal(settled([90, 110, 95, 105, 100, 88, 112]).observe(118), false);
});

test('given a lasting change of speed, when it went on for half a window, then it is the new normal', () => {
  const monitor = settled(Array.from({ length: 24 }, () => 100));
  let drifts = 0;
  for (let i = 0; i < 24; i++) drifts += Number(monitor.observe(150));
  assert.ok(drifts >= 10 && drifts <= 13, `${drifts}`);
  assert.equal(monitor.observe(150), false);
});

test('given a history of which half is before a change of speed, when the reference is a fifth beyond both speeds, then it has drifted', () => {
  const values = Array.from({ length: 24 }, (_, i) => (i < 12 ? 100 : 150) + i % 2);
  assert.equal(settled(values).isOff(180), true);
});

test('given fewer than five samples, when the next one differs, then nothing is held against it', () => {
  assert.equal(settled([100, 100]).observe(200), false);
});

test('given a clock of great steps, when the reference is a step or two off, then that is the clock, not the device', () => {
  const monitor = new DriftMonitor(65.536);
  for (let i = 0; i < 8; i++) monitor.observe(1310.72);
  assert.equal(monitor.isOff(1310.72 + 2 * 65.536), false);
  assert.equal(monitor.isOff(1310.72 + 3 * 65.536), true);
});
