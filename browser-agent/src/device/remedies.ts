// What to do about what a browser lacks; the runtime of packages, which goes on to another backend, leaves it out.
import type { Lack } from '../../../browser-runtime/src/device/lack.ts';

const instead = 'open the page with target=wasm (hone agent --target wasm) for WebAssembly, which needs no GPU.';

export const remedies: Readonly<Record<Lack, string>> = {
  secure_context: 'Open it as http://localhost or http://127.0.0.1 on this machine, by adb reverse from a phone, or over https.',
  webgpu: 'Use a current Chrome, Edge, Firefox or Safari; in Chromium on Linux start it with --enable-unsafe-webgpu.',
  adapter: 'Check chrome://gpu or about:support for a blocked driver; without a GPU start Chromium with --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader; Firefox needs a driver for Vulkan (Debian: mesa-vulkan-drivers), Node.js that of Chromium (Debian: chromium and libvulkan1).',
  device: 'Reload the page; if it stays so, restart the browser.',
  answer: 'The GPU is hung: restart the browser.',
  canvas: `Use a current browser, or ${instead}`,
  webgl_context: `Check chrome://gpu for a blocked driver; without a GPU start Chromium with --use-angle=swiftshader --enable-unsafe-swiftshader, or ${instead}`,
  float_targets: `Instead, ${instead}`,
};
