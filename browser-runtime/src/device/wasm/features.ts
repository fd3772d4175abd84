// What this browser's WebAssembly can do, told by trying: each feature has a tiny module that only such an engine accepts.
import type { Fingerprint } from '../fingerprint.ts';
import { describeBrowser } from '../browser_name.ts';

const head = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
// () → v128: i8x16.splat(0)
const simd128 = [...head, 0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00, 0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b];
// (v128, v128, v128) → v128: f32x4.relaxed_madd
const relaxed_simd = [
  ...head, 0x01, 0x08, 0x01, 0x60, 0x03, 0x7b, 0x7b, 0x7b, 0x01, 0x7b, 0x03, 0x02, 0x01, 0x00,
  0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfd, 0x85, 0x02, 0x0b,
];

// Kernels may run on shared memory, and so on several threads.
export function hasThreads(): boolean {
  if (!self.crossOriginIsolated) return false;
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer instanceof SharedArrayBuffer;
  } catch {
    return false;
  }
}

export function featuresOf({ threads }: { threads: boolean }): string[] {
  const accepts = (bytes: readonly number[]): boolean => WebAssembly.validate(Uint8Array.from(bytes));
  return [...(accepts(relaxed_simd) ? ['relaxed-simd'] : []), ...(accepts(simd128) ? ['simd128'] : []), ...(threads ? ['threads'] : [])];
}

export async function describeWasm({ threads, memory_bytes_max, without }: { threads: number; memory_bytes_max: number; without: readonly string[] }): Promise<Fingerprint> {
  return {
    target: 'wasm', vendor: '', architecture: await processor(), device: '', description: threads === 1 ? 'WebAssembly, 1 thread' : `WebAssembly, ${threads} threads`, backend: '',
    ...describeBrowser(navigator.userAgent), features: featuresOf({ threads: hasThreads() }).filter(feature => !without.includes(feature)),
    limits: { threads, memory_bytes_max },
  };
}

interface UserAgentData {
  getHighEntropyValues(hints: readonly string[]): Promise<{ architecture?: string; bitness?: string }>;
}

// x86-64, arm-64, …: Chromium tells, others do not.
async function processor(): Promise<string> {
  const data: unknown = Reflect.get(navigator, 'userAgentData');
  if (typeof data !== 'object' || data === null) return '';
  const { architecture = '', bitness = '' } = await (data as UserAgentData).getHighEntropyValues(['architecture', 'bitness']).catch(() => ({ architecture: '', bitness: '' }));
  return [architecture, bitness].filter(part => part !== '').join('-');
}
