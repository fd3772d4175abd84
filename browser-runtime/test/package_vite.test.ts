// A Vite project that takes a package into its bundle: type-checked, built for a sub-path, served, and run in a real headless Chromium.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { expected, tinyPackage, x } from './tiny_package.ts';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const project = mkdtempSync(path.join(tmpdir(), 'hone_vite_'));
const main = `import { load, type Used } from './model/index.js';

async function run(backend: 'webgpu' | 'webgl' | 'wasm'): Promise<{ y: number[]; used: Used }> {
  const model = await load(new URL(\`\${import.meta.env.BASE_URL}model/\`, location.href), { backend });
  const { y } = await model.run({ x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) });
  model.dispose();
  return { y: Array.from(y as Float32Array), used: model.used };
}

Object.assign(globalThis, { run });
`;

let server: StaticServer;
let chromium: Chromium;

const program = (name: string): string => path.join(source, 'browser-agent/node_modules/.bin', name);

const put = (file: string, text: string | Buffer): void => {
  mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
  writeFileSync(path.join(project, file), text);
};

// The code of a package lies among the sources, what it fetches among the public files.
function makeProject(): void {
  const dist = path.join(source, 'browser-runtime/dist');
  for (const file of ['index.js', 'worker.js', 'runtime.wasm']) cpSync(path.join(dist, file), path.join(project, 'src/model', file), { recursive: true });
  cpSync(path.join(dist, 'runtime.d.ts'), path.join(project, 'src/model/index.d.ts'));
  for (const [file, content] of tinyPackage()) put(`public/model/${file}`, content);
  put('src/main.ts', main);
  put('src/globals.d.ts', 'interface ImportMeta { readonly env: { readonly BASE_URL: string } }\n');
  put('index.html', '<!doctype html><title>project</title><script type="module" src="/src/main.ts"></script>');
  put('tsconfig.json', JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] }, include: ['src'] }));
}

before(async () => {
  makeProject();
  execFileSync(program('tsc'), ['-p', project]);
  execFileSync(program('vite'), ['build', '--base', '/sub/', '--logLevel', 'error'], { cwd: project });
  server = await StaticServer.start({ '/sub/': path.join(project, 'dist') });
  server.headers = { 'Content-Security-Policy': "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'", 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  chromium = await Chromium.launch();
}, { timeout: 120_000 });

after(async () => {
  await (chromium as Chromium | undefined)?.close();
  (server as StaticServer | undefined)?.close();
  rmSync(project, { recursive: true, force: true });
});

for (const backend of ['webgpu', 'webgl', 'wasm']) {
  test(`given a Vite project with a package, when built and opened, then ${backend} runs from its bundle`, async () => {
    await chromium.open(server.url('/sub/index.html'));
    const said = await chromium.evaluate(`run('${backend}').catch(error => ({ error: error.message }))`) as { error?: string; y: number[]; used: { backend: string; why: string } };
    assert.equal(said.error, undefined, readdirSync(path.join(project, 'dist/assets')).join(' '));
    assert.equal(said.used.backend, backend);
    assert.doesNotMatch(said.used.why, /one thread/);
    for (const [i, value] of expected.entries()) assert.ok(Math.abs(said.y[i]! - value) < 1e-5, `element ${i}: ${said.y[i]}, expected ${value}`);
  });
}
