// A browser that is replaced when it dies: a kernel that compiles for minutes can take it, its GPU or its agent away.
import { limited } from './limited.mjs';

const ANSWER_MS_MAX = 30000, CLOSE_MS_MAX = 15000;

// open: as a browser's of browsers/by_name.mjs; `renew` puts a fresh one in its place, with the agents that it had.
export async function lastingBrowser(open, { answer_ms_max = ANSWER_MS_MAX, close_ms_max = CLOSE_MS_MAX } = {}) {
  let browser = await open();
  const agents = [];
  // What does not end by itself is ended.
  const end = () => limited(browser.close(), close_ms_max, 'closing the browser').catch(() => browser.kill?.());
  async function answer() {
    const page = await browser.page();
    await page.load('/page/probe.js');
    await page.call('answer');
    await page.close();
  }
  return {
    get version() { return browser.version; },
    page: at => browser.page(at),
    answers: () => limited(answer(), answer_ms_max, 'the browser').then(() => true, () => false),
    async openAgent(address) {
      agents.push(address);
      await browser.openAgent(address);
    },
    async renew() {
      await end();
      browser = await open();
      for (const address of agents) await browser.openAgent(address);
    },
    close: end,
  };
}

const firstLine = error => String(error?.message ?? error).split('\n')[0].slice(0, 300);

// What run() gives of a work; where it fails, once more in a fresh browser. Where that fails, too, the work is left out: undefined, with the reason at
// `work.lost`, and the browser is fresh for the next one.
export async function orLost(work, run, renew, log) {
  for (const again of [true, false]) {
    try {
      return await run();
    } catch (error) {
      if (!again) work.lost = `device lost: ${firstLine(error)}`;
      log(again ? `  ${work.name}: ${firstLine(error)}; once more in a fresh browser` : `work ${work.name}: ${work.lost}`);
      await renew();
    }
  }
  return undefined;
}
