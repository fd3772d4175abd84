import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeDevice } from './adapter.ts';

// What a browser offers, without one.
function described(features: readonly string[], language: readonly string[], subgroups = { linear: 0, asked: [] as number[] }) {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Chrome/152.0', gpu: { wgslLanguageFeatures: new Set(language) } }, configurable: true });
  try {
    const info = { vendor: 'v', architecture: 'a', device: '', description: '' } as unknown as GPUAdapterInfo;
    return describeDevice(info, { features: new Set(features), limits: { maxBindGroups: 4 } } as unknown as GPUDevice, subgroups);
  } finally {
    if (before !== undefined) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  }
}

test('given adapters with and without halves, and browsers with and without packed products, when described, then what is offered is told, whatever their names', () => {
  assert.deepEqual(described([], []).features, []);
  assert.deepEqual(described(['shader-f16'], []).features, ['shader-f16']);
  assert.deepEqual(described(['shader-f16'], ['packed_4x8_integer_dot_product', 'something_else']).features, ['packed_4x8_integer_dot_product', 'shader-f16']);
});

test('given subgroups of one size, or of sizes to be asked for, when described, then the first is a limit, the others are features', () => {
  const one = described(['subgroups'], [], { linear: 32, asked: [] }), several = described(['subgroup-size-control', 'subgroups'], [], { linear: 0, asked: [16, 32] });
  assert.deepEqual([one.features, one.limits['linearSubgroupSize']], [['subgroups'], 32]);
  assert.deepEqual([several.features, several.limits['linearSubgroupSize']], [['subgroup-size-16', 'subgroup-size-32', 'subgroup-size-control', 'subgroups'], undefined]);
});
