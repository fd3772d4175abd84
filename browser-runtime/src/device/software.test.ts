import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoftware } from './software.ts';

test('given names of drivers, when asked, then those that compute on the processor are told from GPUs', () => {
  const of = (architecture: string, device = '', description = ''): boolean => isSoftware({ architecture, device, description });
  for (const software of [of('swiftshader'), of('software'), of('', 'SwiftShader Device (Subzero)'), of('', 'llvmpipe, or similar'), of('', '', 'Microsoft Basic Render Driver')]) assert.ok(software);
  for (const gpu of [of('ampere'), of('', 'NVIDIA GeForce GTX 980, or similar'), of('apple-7'), of('', 'Adreno (TM) 730', 'warped')]) assert.ok(!gpu);
});
