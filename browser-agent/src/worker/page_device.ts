// The devices that a page may bring: WebGPU, WebGL 2, or WebAssembly on this worker and helpers beside it.
import type { KnownDevice } from '../core/known_device.ts';
import type { DeviceChoice, OnStep, Probe } from '../device/backend.ts';
import type { FromHelper } from '../../../browser-runtime/src/device/wasm/helper.ts';
import type { SpawnHelper } from '../../../browser-runtime/src/device/wasm/team.ts';
import { WasmBackend } from '../device/wasm/wasm_backend.ts';
import { WebGlBackend } from '../device/webgl2/webgl_backend.ts';
import { WebGpuBackend } from '../device/webgpu/webgpu_backend.ts';
import { insecurePageAdvice } from './insecure_page.ts';

declare const self: DedicatedWorkerGlobalScope;

const spawnHelper: SpawnHelper = (onMessage, onCrash) => {
  const worker = new Worker(new URL('helper_worker.js', self.location.href), { type: 'module', name: 'helper' });
  worker.onmessage = ({ data }: MessageEvent<FromHelper>) => onMessage(data);
  worker.onerror = event => {
    event.preventDefault();
    onCrash(event.message || 'it could not be loaded');
  };
  return { post: message => worker.postMessage(message), terminate: () => worker.terminate() };
};

export async function probePageDevice(choice: DeviceChoice, onStep: OnStep, known?: KnownDevice): Promise<Probe> {
  const { target, clock } = choice;
  const runtime = new URL('runtime.wasm', self.location.href);
  if (target === 'native' || target === 'opengl' || target === 'opencl') return { ok: false, reason: `A browser runs no kernels for the target ${target}.`, remedy: `Start hone agent --browser native --target ${target} on the machine, or open the page without target=${target}.` };
  // WebAssembly without being asked for would look as if all was well: here it has one thread.
  if (!self.isSecureContext && (target === 'best' || target === 'webgpu')) {
    return { ok: false, reason: 'This page came over plain http from another machine, so the browser hides WebGPU.', remedy: insecurePageAdvice(navigator.userAgent, new URL(self.location.href)) };
  }
  if (target === 'wasm') return WasmBackend.probe(runtime, choice, spawnHelper, known);
  if (target === 'webgl') return WebGlBackend.probe(runtime, clock, onStep, known);
  const gpu = await WebGpuBackend.probe(runtime, clock, onStep, known);
  if (gpu.ok || target === 'webgpu') return gpu;
  const wasm = await WasmBackend.probe(runtime, choice, spawnHelper, known);
  return wasm.ok ? { ...wasm, note: `${gpu.reason} So this page brings WebAssembly. ${wasm.note}`.trim() } : gpu;
}
