// Packages in a real Firefox, where one is installed with drivers: another WebGPU, another WebGL, another WebAssembly.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findFirefox, Firefox } from '../../browser-agent/test/firefox.ts';
import { VirtualDisplay } from '../../browser-agent/test/virtual_display.ts';
import { StaticServer } from './static_server.ts';
import { expected, tinyPackage, x } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const program = findFirefox();
const skip = program === undefined ? 'no Firefox is installed' : VirtualDisplay.available() ? false : 'there is no display, and no Xvfb';
const script = `import { load } from './index.js';
const said = {};
for (const backend of ['webgpu', 'webgl', 'wasm']) {
  try {
    const model = await load(undefined, { backend });
    const inputs = { x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) };
    const all = await Promise.all([model.run(inputs), model.run(inputs), model.run(inputs)]);
    said[backend] = all.map(({ y, twice }) => ({ y: [...y], twice: [...twice].map(Number) }));
    model.dispose();
  } catch (error) {
    said[backend] = error.message;
  }
}
await fetch('/report', { method: 'POST', body: JSON.stringify(said) });`;

test('given Firefox, when a package is loaded for each backend, then all give the same right outputs', { skip, timeout: 120_000 }, async () => {
  const display = await VirtualDisplay.open(), server = await StaticServer.start({ '/tiny/': dist });
  process.env['DISPLAY'] = display.name;
  server.put('/tiny/', tinyPackage());
  server.files.set('/tiny/test.html', Buffer.from('<!doctype html><script type="module" src="test.js"></script>'));
  server.files.set('/tiny/test.js', Buffer.from(script));
  const firefox = Firefox.open(program ?? '', server.url('/tiny/test.html'));
  try {
    const said = JSON.parse(await server.report) as Record<string, string | { y: number[]; twice: number[] }[]>;
    for (const backend of ['webgpu', 'webgl', 'wasm']) {
      const outputs = said[backend];
      if (!Array.isArray(outputs)) assert.fail(`${backend}: ${outputs}`);
      for (const { y, twice } of outputs) {
        for (const [i, value] of expected.entries()) assert.ok(Math.abs(y[i]! - value) < 1e-5, `${backend}, element ${i}: ${y[i]}, expected ${value}`);
        assert.deepEqual(twice, [2, 4, -6, 8, 10], backend);
      }
    }
  } finally {
    await firefox.close();
    display.close();
    server.close();
  }
});

// As hone export --single-file puts it together.
function singlePage(files: ReadonlyMap<string, Buffer>, more: string): string {
  const scripts = [...files, ['worker.js', readFileSync(path.join(dist, 'single_file/worker.js'))], ['runtime.wasm', readFileSync(path.join(dist, 'runtime.wasm'))]] as const;
  const embedded = scripts.map(([name, content]) => `<script type="application/octet-stream" data-file="${name}">${content.toString('base64')}</script>`);
  return readFileSync(path.join(dist, 'single_file/index.html'), 'utf8').replace('</body>', () => `${embedded.join('')}${more}</body>`);
}

test('given Firefox, when a package in a single file is opened from the disk, then it runs there', { skip, timeout: 120_000 }, async () => {
  const display = await VirtualDisplay.open(), server = await StaticServer.start({}), folder = mkdtempSync(path.join(tmpdir(), 'hone-single-'));
  process.env['DISPLAY'] = display.name;
  const report = `<script>new MutationObserver(() => {
    const [status, backend] = ['status', 'backend'].map(id => document.getElementById(id));
    if (status.className === 'failed' || backend.textContent !== '') fetch('${server.url('/report')}', { method: 'POST', mode: 'no-cors', body: JSON.stringify([status.textContent, backend.textContent]) });
  }).observe(document.body, { childList: true, characterData: true, subtree: true });</script>`;
  writeFileSync(path.join(folder, 'index.html'), singlePage(tinyPackage({ backends: ['webgl', 'wasm'] }), report));
  const firefox = Firefox.open(program ?? '', pathToFileURL(path.join(folder, 'index.html')).href);
  try {
    assert.deepEqual(JSON.parse(await server.report), ['Ready.', 'wasm']);
  } finally {
    await firefox.close();
    display.close();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
