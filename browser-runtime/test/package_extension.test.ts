// A package within a Manifest V3 extension, whose pages may run no code but the extension's own, in a real headless Chromium.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { expected, tinyPackage, x } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const extension = mkdtempSync(path.join(tmpdir(), 'hone_extension_'));
// Of an extension without a key: its path's digest, in letters from a on.
const id = createHash('sha256').update(extension).digest('hex').slice(0, 32).replace(/./g, digit => String.fromCharCode(97 + parseInt(digit, 16)));
const manifest = {
  manifest_version: 3, name: 'hone test', version: '1.0', content_security_policy: { extension_pages: "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'" },
};

let chromium: Chromium;

before(async () => {
  mkdirSync(path.join(extension, 'model'));
  cpSync(dist, path.join(extension, 'model'), { recursive: true });
  for (const [file, content] of tinyPackage()) writeFileSync(path.join(extension, 'model', file), content);
  writeFileSync(path.join(extension, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(path.join(extension, 'page.html'), '<!doctype html><title>extension</title>');
  chromium = await Chromium.launch({ extra: [`--load-extension=${extension}`] });
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  rmSync(extension, { recursive: true, force: true });
});

for (const backend of ['webgpu', 'webgl', 'wasm']) {
  test(`given an extension with a package, when its page loads it, then ${backend} runs`, async () => {
    await chromium.open(`chrome-extension://${id}/page.html`);
    const said = await chromium.evaluate(`import('/model/index.js').then(async ({ load }) => {
      const model = await load(undefined, { backend: '${backend}' });
      const { y } = await model.run({ x: Float32Array.of(${[...x]}), ids: new BigInt64Array(5) });
      return { y: [...y], used: model.used };
    }).catch(error => ({ error: error.message + location.href }))`) as { error?: string; y: number[]; used: { backend: string; why: string } };
    assert.equal(said.error, undefined);
    assert.equal(said.used.backend, backend);
    assert.doesNotMatch(said.used.why, /keep/);
    for (const [i, value] of expected.entries()) assert.ok(Math.abs(said.y[i]! - value) < 1e-5, `element ${i}: ${said.y[i]}, expected ${value}`);
  });
}
