// What a WebGL renderer's name tells: Chromium's, and Safari's, are "ANGLE (vendor, device and interface, driver)", Firefox's are the driver's own.
import type { Fingerprint } from './fingerprint.ts';

const interfaces: readonly [RegExp, string][] = [
  [/\bVulkan\b/, 'vulkan'], [/\bMetal\b/, 'metal'], [/\b(Direct3D11|D3D11)\b/, 'd3d11'], [/\b(Direct3D9|D3D9)\b/, 'd3d9'], [/\bOpenGL ES\b/, 'opengles'], [/\bOpenGL\b/, 'opengl'],
];

export function describeRenderer(vendor: string, renderer: string): Pick<Fingerprint, 'vendor' | 'architecture' | 'device' | 'description' | 'backend' | 'driver'> {
  const [, within = ''] = /^ANGLE \((.*)\)$/.exec(renderer) ?? [];
  const parts = within.split(', ');
  // The driver's version stays out of the device's name: it would make another device of each update.
  const device = parts.length >= 3 ? parts.slice(1, -1).join(', ') : within === '' ? renderer : within;
  const backend = interfaces.find(([pattern]) => pattern.test(within))?.[1] ?? '';
  const driver = parts.length >= 3 ? parts.at(-1) : undefined;
  return { vendor: (parts.length >= 3 ? parts[0] : undefined) ?? vendor, architecture: '', device, description: renderer, backend, ...(driver !== undefined && { driver: driver.slice(0, 256) }) };
}
