// A tab of a headless Chromium, by its DevTools protocol over two pipes (--remote-debugging-pipe: JSON, each message ends with a zero byte).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const FLAGS = ['--headless=new', '--remote-debugging-pipe', '--disable-gpu', '--no-first-run', '--disable-sync', '--disable-background-networking', '--disable-component-update'];

function connection(child) {
  const waiting = new Map(), heard = new Map();
  let text = '', id = 0;
  child.stdio[4].setEncoding('utf8').on('data', chunk => {
    text += chunk;
    for (let end; (end = text.indexOf('\0')) >= 0; text = text.slice(end + 1)) {
      const message = JSON.parse(text.slice(0, end));
      if (message.id === undefined) heard.get(message.method)?.();
      else waiting.get(message.id)?.(message);
    }
  });
  return {
    send: (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
      waiting.set(++id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)));
      child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    }),
    next: method => new Promise(resolve => heard.set(method, resolve)),
  };
}

export async function openTab() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'hone-tab-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn('chromium', [...FLAGS, ...root, `--user-data-dir=${profile}`, 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const browser = connection(child);
  const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method, params) => browser.send(method, params, sessionId);
  await send('Page.enable');
  const size = async () => {
    const { cssContentSize: { width, height } } = await send('Page.getLayoutMetrics');
    return { width, height: Math.min(height, 4000) };
  };
  return {
    async open(url) {
      const loaded = browser.next('Page.loadEventFired');
      await send('Page.navigate', { url });
      await loaded;
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async resize(width, scheme) {
      await send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 800 });
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    },
    // Of the whole page, which may be higher than the window.
    picture: async () => Buffer.from((await send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, clip: { x: 0, y: 0, scale: 1, ...await size() } })).data, 'base64'),
    async close() {
      const gone = new Promise(resolve => child.once('exit', resolve));
      await browser.send('Browser.close');
      await gone;
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
