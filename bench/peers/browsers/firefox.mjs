// A headless Firefox as its users have it, driven over WebDriver BiDi (Playwright drives only its own builds), with software WebGPU (lavapipe), and
// its pages. WebGPU needs no display.
import puppeteer from 'puppeteer-core';

// The part of launch/firefox_program.cc that shows here: WebGPU on any adapter, clocks as they are, timers of hidden pages as fast as others.
const PREFERENCES = { 'dom.webgpu.enabled': true, 'dom.webgpu.workers.enabled': true, 'gfx.webgpu.ignore-blocklist': true, 'gfx.webrender.all': true,
  'privacy.reduceTimerPrecision': false, 'dom.min_background_timeout_value': 4, 'dom.min_background_timeout_value_without_budget_throttling': 4,
  'dom.timeout.enable_budget_timer_throttling': false, 'dom.timeout.throttling_delay': -1, 'dom.ipc.processPriorityManager.enabled': false,
  'browser.tabs.unloadOnLowMemory': false, 'dom.security.https_first': false, 'network.captive-portal-service.enabled': false };
const CALL_MS_MAX = 600000;

// Arguments and answers travel as text: BiDi would give each element of a list a type of its own.
async function openPage(browser, url) {
  const page = await openWindow(browser, url);
  return {
    load: module => page.evaluate(async path => { globalThis.peer = await import(path); }, module),
    call: async (name, ...args) => JSON.parse(await page.evaluate(async text => {
      const [fn, values] = JSON.parse(text);
      return JSON.stringify(await globalThis.peer[fn](...values) ?? null);
    }, JSON.stringify([name, args]))),
    close: () => page.close(),
  };
}

// A window each: all but one tab of a window are hidden, and agents do not time in a hidden tab.
async function openWindow(browser, url) {
  const page = await browser.newPage({ type: 'window' });
  page.setDefaultTimeout(CALL_MS_MAX);
  await page.goto(url);
  return page;
}

// Children of a browser that hangs do not see it end, and keep the pipes to this process open. Puppeteer starts each browser as a group of its own.
function killGroup(child) {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it has ended by itself
  }
}

export async function openFirefox(url) {
  const executablePath = process.env.HONE_FIREFOX ?? '/usr/bin/firefox-esr';
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath, headless: true, protocolTimeout: CALL_MS_MAX,
    extraPrefsFirefox: PREFERENCES });
  const version = (await browser.version()).replace(/^firefox\//i, '');
  return { version, page: (at = '') => openPage(browser, new URL(at, url).href), openAgent: address => openWindow(browser, address), close: () => browser.close(),
    kill: () => killGroup(browser.process()) };
}
