import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRenderer } from './renderer_name.ts';

test('given ANGLE\'s names, when read, then vendor, device and interface stand apart, and the driver\'s version only in the description', () => {
  const swiftshader = 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)';
  assert.deepEqual(describeRenderer('Google Inc. (Google)', swiftshader), {
    vendor: 'Google', architecture: '', device: 'Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE))', description: swiftshader, backend: 'vulkan', driver: 'SwiftShader driver',
  });
  const mesa = describeRenderer('Google Inc. (Intel)', 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6 (Core Profile) Mesa 21.2.6)');
  assert.deepEqual([mesa.vendor, mesa.device, mesa.backend], ['Intel', 'Mesa Intel(R) UHD Graphics 620 (KBL GT2)', 'opengl']);
  const windows = describeRenderer('', 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3080 Direct3D11 vs_5_0 ps_5_0, D3D11)');
  assert.deepEqual([windows.device, windows.backend], ['NVIDIA GeForce RTX 3080 Direct3D11 vs_5_0 ps_5_0', 'd3d11']);
});

test('given another name, when read, then it is the device\'s', () => {
  const { vendor, device, backend } = describeRenderer('Mesa', 'llvmpipe, or similar');
  assert.deepEqual([vendor, device, backend], ['Mesa', 'llvmpipe, or similar', '']);
});
