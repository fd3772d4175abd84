// Whether a GPU is none: a driver that computes on the processor, where WebAssembly is mostly faster.
import type { Fingerprint } from './fingerprint.ts';

const names = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|\bwarp\b/i;

export function isSoftware({ architecture, device, description }: Pick<Fingerprint, 'architecture' | 'device' | 'description'>): boolean {
  return [architecture, device, description].some(text => names.test(text));
}
