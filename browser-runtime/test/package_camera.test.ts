// The camera of a package's page, in real Chromiums with a camera that is none, without one, and where it is refused. HONE_BINARY: the program; without it
// there is nothing to export with.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const hone = process.env['HONE_BINARY'];
const skip = hone === undefined ? 'HONE_BINARY does not say where the program is' : false;
const camera = '--use-fake-device-for-media-stream', allowed = '--use-fake-ui-for-media-stream', refused = '--deny-permission-prompts';

const folder = mkdtempSync(path.join(tmpdir(), 'hone_camera_'));
let server: StaticServer;

before(async () => {
  if (hone === undefined) return;
  execFileSync(path.join(source, 'scripts/gen_model'), ['squeezenet', '--size', '64', '--out', path.join(folder, 'model.onnx')]);
  execFileSync(hone, ['export', 'model.onnx', '--out', 'page', '--targets', 'wasm', '--quiet'], { cwd: folder });
  server = await StaticServer.start({ '/': folder });
}, { timeout: 60_000 });

after(() => {
  (server as StaticServer | undefined)?.close();
  rmSync(folder, { recursive: true });
});

// The page in a browser of its own, once it is ready; the streams that its camera gave are in `streams`.
async function withPage(flags: readonly string[], work: (chromium: Chromium) => Promise<void>): Promise<void> {
  const chromium = await Chromium.launch({ extra: flags });
  try {
    await chromium.open(server.url('/page/index.html'));
    await chromium.waitForText(/Ready\.[^]*Drop a picture here/);
    await chromium.evaluate(`(() => {
      const plain = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      globalThis.streams = [];
      navigator.mediaDevices.getUserMedia = async wanted => { const stream = await plain(wanted); streams.push(stream); return stream; };
    })()`);
    await work(chromium);
  } finally {
    await chromium.close();
  }
}

async function click(chromium: Chromium, id: string): Promise<void> {
  await chromium.evaluate(`document.getElementById('time').textContent = ''; document.getElementById('${id}').click()`);
}

async function resultsOfRun(chromium: Chromium): Promise<unknown> {
  await chromium.waitForText(/ ms, median of 10[^]*Ready\.|Ready\.[^]* ms, median of 10/);
  return chromium.evaluate(`document.getElementById('results').textContent`);
}

test('given a camera, when it is asked for a picture, then the model runs on it, what it sees is shown, and the camera is free again', { skip }, async () => {
  await withPage([camera, allowed], async chromium => {
    await click(chromium, 'run');
    const generated = await resultsOfRun(chromium);
    await click(chromium, 'camera');
    assert.notEqual(await resultsOfRun(chromium), generated);
    assert.deepEqual(await chromium.evaluate(`streams.map(stream => stream.getTracks().map(({ kind, readyState }) => kind + ' ' + readyState))`), [['video ended']]);
    assert.deepEqual(await chromium.evaluate(`(() => {
      const seen = document.getElementById('seen'), { data } = seen.getContext('2d').getImageData(0, 0, seen.width, seen.height);
      return [seen.hidden, seen.width, seen.height, data.some((value, i) => i % 4 !== 3 && value > 0)];
    })()`), [false, 64, 64, true]);
  });
});

for (const [what, flags, words] of [['that is refused', [camera, refused], 'Permission denied'], ['where there is none', [allowed], 'Requested device not found']] as const) {
  test(`given a camera ${what}, when it is asked for a picture, then one sentence says so, and the model runs on`, { skip }, async () => {
    await withPage(flags, async chromium => {
      await click(chromium, 'camera');
      await chromium.waitForText(/The camera cannot be used/);
      assert.equal(await chromium.evaluate(`document.getElementById('status').textContent`), `The camera cannot be used: ${words}.`);
      assert.equal(await chromium.evaluate(`document.getElementById('seen').hidden`), true);
      await click(chromium, 'run');
      assert.match(String(await resultsOfRun(chromium)), /\d/);
    });
  });
}
