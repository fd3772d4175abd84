// Finds the adapter, asks it for all that it has, and describes it.
import type { Fingerprint } from '../fingerprint.ts';
import type { Lack } from '../lack.ts';
import { within } from '../within.ts';
import { describeBrowser } from '../browser_name.ts';
import { isSoftware } from '../software.ts';
import { subgroupsOf, type Subgroups } from './subgroups.ts';

export type Found = { ok: true; adapter: GPUAdapter; device: GPUDevice; fingerprint: Fingerprint } | { ok: false; lack: Lack; reason: string };

const open_ms_max = 10_000;
const no_subgroups: Subgroups = { linear: 0, asked: [] };

// subgroups: whether it is to be found out how kernels may use them, which takes some kernels.
export async function openDevice({ subgroups = true } = {}): Promise<Found> {
  if (!self.isSecureContext) {
    return { ok: false, lack: 'secure_context', reason: 'This page is not a secure context, so the browser hides WebGPU.' };
  }
  if (navigator.gpu === undefined) {
    return { ok: false, lack: 'webgpu', reason: 'This browser has no WebGPU.' };
  }
  const adapter = await within(bestAdapter(navigator.gpu), open_ms_max);
  if (adapter === 'late') return tooLate('adapter');
  if (adapter === null) {
    return { ok: false, lack: 'adapter', reason: 'The browser has WebGPU but offers no adapter.' };
  }
  const device = await within(requestAll(adapter), open_ms_max);
  if (device === 'late') return tooLate('device');
  if (typeof device === 'string') return { ok: false, lack: 'device', reason: `The adapter gave no device: ${device}` };
  const found = subgroups ? await within(subgroupsOf(adapter.info, device), open_ms_max) : no_subgroups;
  if (found === 'late') return tooLate('result of its first kernel');
  return { ok: true, adapter, device, fingerprint: describeDevice(adapter.info, device, found) };
}

// Whether the adapter that a page gets first computes on the processor; its device takes long to open then. False where nothing tells.
export async function isSoftwareAdapter(): Promise<boolean> {
  const adapter = await within(navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' }) ?? Promise.resolve(null), open_ms_max).catch(() => null);
  return adapter !== null && adapter !== 'late' && isSoftware({ architecture: architectureOf(adapter.info), device: adapter.info.device, description: adapter.info.description });
}

// Of a device that somebody else has opened, as far as the browser tells.
export async function describeOpened(device: GPUDevice, { subgroups }: { subgroups: boolean }): Promise<Fingerprint> {
  const info = (Reflect.get(device, 'adapterInfo') ?? { vendor: '', architecture: '', device: '', description: '' }) as GPUAdapterInfo;
  return describeDevice(info, device, subgroups ? await subgroupsOf(info, device) : no_subgroups);
}

// A software adapter is given to those only who ask for it.
async function bestAdapter(gpu: GPU): Promise<GPUAdapter | null> {
  return await gpu.requestAdapter({ powerPreference: 'high-performance' }) ?? await gpu.requestAdapter({ forceFallbackAdapter: true });
}

// Firefox says no more of an adapter than whether it is one of software.
function architectureOf(info: GPUAdapterInfo): string {
  return info.architecture === '' && Reflect.get(info, 'isFallbackAdapter') === true ? 'software' : info.architecture;
}

function tooLate(what: string): Found {
  return { ok: false, lack: 'answer', reason: `The browser gave no ${what} within ${open_ms_max / 1000} s.` };
}

// Experiments are left out: users' browsers lack them, and some change the speed of every kernel (the one with resource tables takes bounds
// checks out of SwiftShader's code).
const isExperiment = (name: string) => name.startsWith('chromium-experimental-');

// Everything else the adapter has; where the browser lists a limit that cannot be asked for, the limits that kernels need.
async function requestAll(adapter: GPUAdapter): Promise<GPUDevice | string> {
  const requiredFeatures = ([...adapter.features] as GPUFeatureName[]).filter(name => !isExperiment(name));
  const all = numericLimits(adapter.limits);
  const known = Object.fromEntries(Object.entries(all).filter(([name]) => /^max(Compute|Storage|Buffer|Bind)/.test(name)));
  let complaint = '';
  for (const requiredLimits of [all, known, {}]) {
    try {
      return await adapter.requestDevice({ requiredFeatures, requiredLimits });
    } catch (error) {
      complaint = error instanceof Error ? error.message : String(error);
    }
  }
  return complaint;
}

function numericLimits(limits: GPUSupportedLimits): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name in limits) {
    const value: unknown = Reflect.get(limits, name);
    if (typeof value === 'number') found[name] = value;
  }
  return found;
}

// What kernels use of WGSL beyond its core. A browser has it or not, whatever the adapter.
function languageFeatures(): string[] {
  const known = Reflect.get(navigator.gpu, 'wgslLanguageFeatures') as { has(name: string): boolean } | undefined;
  return ['packed_4x8_integer_dot_product'].filter(name => known?.has(name) === true);
}

// linearSubgroupSize is no limit of WebGPU's, and subgroup-size-N no feature: subgroups.ts has measured them.
export function describeDevice(info: GPUAdapterInfo, device: GPUDevice, { linear, asked }: Subgroups): Fingerprint {
  const browser = describeBrowser(navigator.userAgent);
  // Chromium tells the backend only with developer features on; Node.js has it beside the adapters (node/dawn.ts).
  const backend: unknown = Reflect.get(info, 'backend') ?? Reflect.get(navigator.gpu, 'backend');
  return {
    target: 'webgpu', vendor: info.vendor, architecture: architectureOf(info), device: info.device, description: info.description,
    backend: typeof backend === 'string' ? backend : '', ...browser,
    features: [...device.features, ...languageFeatures(), ...asked.map(size => `subgroup-size-${size}`)].sort(), limits: { ...numericLimits(device.limits), ...(linear > 0 && { linearSubgroupSize: linear }) },
  };
}
