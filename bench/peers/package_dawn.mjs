// The same package in Dawn, Chromium's WebGPU, in Node.js: what the browser around it costs. Both run the same plan on the same adapter, or there is no ratio.
import { overFastest } from './paired.mjs';

export const IN_BROWSER = 'hone_webgpu', IN_DAWN = 'hone_dawn';
export const dawnPeer = browser => ({ [IN_DAWN]: { module: 'package', options: { backend: 'webgpu' }, browser } });

const saidOf = ({ adapter, used }) => `${used.plan} on ${adapter}`;

// results: of takeTurns for a work; host: {browser, dawn} as hostOf gives them. {over, ms, dawn_ms, adapter, host}, {failed} where they do not run alike, or undefined.
export function dawnOf(results, host = {}) {
  const browser = results[IN_BROWSER], dawn = results[IN_DAWN];
  if (!browser?.ms || !dawn?.ms) return undefined;
  if (saidOf(browser) !== saidOf(dawn)) return { failed: `Chromium runs ${saidOf(browser)}, Dawn ${saidOf(dawn)}` };
  const ms = { browser: browser.ms, dawn: dawn.ms }, samples = { browser: browser.samples_ms, dawn: dawn.samples_ms };
  return { over: overFastest({ ms, samples }, 'dawn', ['browser']).over, ms: ms.browser, dawn_ms: ms.dawn, adapter: browser.adapter, host };
}
