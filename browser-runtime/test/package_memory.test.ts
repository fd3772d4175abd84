// What a package holds in memory, in a real Chromium: buffers on the GPU, textures, WebAssembly memory and arrays of the page's, as scripts/bench package
// counts them (bench/peers/page/watch_memory.js). HONE_BINARY: the program; without it there is nothing to export with.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import type { Manifest, PlanFile } from '../src/generated/manifest.ts';
import { StaticServer } from './static_server.ts';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const hone = process.env['HONE_BINARY'];
const skip = hone === undefined ? 'HONE_BINARY does not say where the program is' : false;
const shape = [1, 3, 224, 224];
const chunk_bytes = 4 * 2 ** 20;

const folder = mkdtempSync(path.join(tmpdir(), 'hone_memory_'));
const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(folder, 'package', file), 'utf8')) as T;
let server: StaticServer;
let chromium: Chromium;

before(async () => {
  if (hone === undefined) return;
  execFileSync(path.join(source, 'scripts/gen_model'), ['squeezenet', '--out', path.join(folder, 'model.onnx')]);
  execFileSync(hone, ['export', 'model.onnx', '--out', 'package', '--quiet'], { cwd: folder });
  server = await StaticServer.start({ '/package/': path.join(folder, 'package'), '/page/': path.join(source, 'bench/peers/page') });
  server.files.set('/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  server.headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  chromium = await Chromium.launch({ extra: ['--js-flags=--expose-gc'] });
}, { timeout: 120_000 });

after(async () => {
  await (chromium as Chromium | undefined)?.close();
  (server as StaticServer | undefined)?.close();
  rmSync(folder, { recursive: true });
});

for (const backend of ['webgpu', 'webgl', 'wasm'] as const) {
  test(`given weights in two chunks, when loaded and run on ${backend}, then memory has the weights, the activations with 15 % more, and one chunk at most`, { skip }, async () => {
    const work = { package: '/package/', inputs: [{ name: 'input', shape }] };
    await chromium.open(server.url('/empty.html'));
    const { load_bytes, run_bytes, used, error } = await chromium.evaluate(`import('/page/package_memory.js').then(page => page.measure(${JSON.stringify(work)}, '${backend}'))
      .catch(error => ({ error: error.message }))`) as { load_bytes: number; run_bytes: number; used: { plan: string }; error?: string };
    assert.equal(error, undefined);
    const manifest = read<Manifest>('manifest.json'), head = manifest.plans.find(plan => plan.backend === backend && plan.made_for === used.plan)!;
    assert.equal(manifest.chunks.length, 2);
    assert.ok(manifest.chunks.every(({ bytes }) => bytes <= chunk_bytes));
    const weights = read<PlanFile>(head.plan.file).weights.reduce((sum, { bytes }) => sum + bytes, 0), most = weights + 1.15 * (head.memory_bytes - weights) + chunk_bytes;
    assert.ok(load_bytes > head.memory_bytes && run_bytes >= head.memory_bytes, `${load_bytes} and ${run_bytes} bytes were seen, and the plan alone has ${head.memory_bytes}`);
    assert.ok(load_bytes <= most && run_bytes <= most, `${load_bytes} bytes while loading, ${run_bytes} while running, of ${most}`);
  });
}
