// A headless Chromium with software WebGPU (SwiftShader), or one in a window with the machine's GPU, and its pages. All peers of a run share one browser.
import { chromium } from 'playwright-core';
import { hasDisplay, hasGpu } from './gpu.mjs';

// Each flag was needed: software WebGPU is off by default, background pages get one timer tick a second, and page/watch_memory.js collects garbage.
const SOFTWARE = ['--use-webgpu-adapter=swiftshader', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const GPU = ['--enable-features=Vulkan', '--use-angle=vulkan', '--ignore-gpu-blocklist'];   // as launch/browser_flags.cc has them
const FLAGS = ['--enable-unsafe-webgpu', '--enable-dawn-features=allow_unsafe_apis', '--no-first-run', '--disable-quic', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-background-timer-throttling', '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows', '--js-flags=--expose-gc'];

// A page holds one module; call(name, …) runs one of its exported functions.
async function openPage(browser, url) {
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  await page.goto(url);
  return {
    load: module => page.evaluate(async path => { globalThis.peer = await import(path); }, module),
    call: (name, ...args) => page.evaluate(([fn, values]) => globalThis.peer[fn](...values), [name, args]),
    close: () => page.close(),
  };
}

// With how.gpu, interrupts are the caller's, too: they leave a report.
export async function openChromium(url, { gpu = false } = {}) {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [], executablePath = process.env.HONE_CHROMIUM ?? '/usr/bin/chromium';
  const args = [...FLAGS, ...(gpu && hasGpu() ? GPU : SOFTWARE), ...root];
  const browser = await chromium.launch({ executablePath, args, headless: !(gpu && hasDisplay()), handleSIGINT: !gpu });
  const openAgent = async address => (await browser.newPage()).goto(address);
  return { version: browser.version(), page: (at = '') => openPage(browser, new URL(at, url).href), openAgent, close: () => browser.close() };
}
