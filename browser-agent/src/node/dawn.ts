// WebGPU on Node.js: Dawn, Chromium's own, by the npm package webgpu, where a browser has navigator.gpu. The package stays outside of the bundle and
// is looked for from the script's folder upwards, as any package is.
import * as modules from 'node:module';
import * as path from 'node:path';
import * as url from 'node:url';

interface DawnPackage {
  create(options: readonly string[]): GPU;
  globals: Readonly<Record<string, unknown>>;   // GPUBufferUsage and the like
}

// The name as a variable: the bundler leaves it alone.
const package_name: string = 'webgpu';
// As launch/browser_flags.cc has it for Chromium; and timestamps in steps of 1 ns, not 65 µs, unless those are asked for.
const options = ['enable-dawn-features=allow_unsafe_apis'];
const fine = 'disable-dawn-features=timestamp_quantization';

export type Opened = { ok: true } | { ok: false; reason: string; remedy: string };

// Once, before the device is opened.
export async function openDawn({ coarse }: { coarse: boolean }): Promise<Opened> {
  try {
    const { create, globals } = await import(package_name) as DawnPackage;
    const { version } = modules.createRequire(import.meta.url)(`${package_name}/package.json`) as { version: string };
    Object.assign(globalThis, globals);
    const gpu = create(coarse ? options : [...options, fine]);
    // Dawn's adapters do not say of themselves what they run on (device/webgpu/adapter.ts).
    Object.defineProperty(gpu, 'backend', { value: `dawn ${version}` });
    Object.defineProperty(navigator, 'gpu', { value: gpu });
    return { ok: true };
  } catch (error) {
    const [complaint] = (error instanceof Error ? error.message : String(error)).split('\n');
    return {
      ok: false, reason: `On Node.js WebGPU is the npm package ${package_name}, which cannot be loaded: ${complaint}.`,
      remedy: `Run npm install --prefix ${path.dirname(url.fileURLToPath(import.meta.url))} ${package_name}; in hone's sources scripts/setup does it.`,
    };
  }
}
