// node build.mjs [--tests]: bundles the page and its workers into dist/, the same agent for Node.js beside them (node_agent.mjs), and builds
// the WASM runtime, the runtime of packages (../browser-runtime/dist), and the page of reports (../browser-report/dist); into dist-bench/ what benchmarks load; with --tests also the Node programs into dist-test/. Everything is one folder of static files: index.html opens from any static server under /agent/.
import { build as esbuild } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildReport } from '../browser-report/build.mjs';
import { buildRuntime } from '../browser-runtime/build.mjs';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
process.chdir(here);
const tests = process.argv.includes('--tests');
const build = options => esbuild({ ...options, loader: { '.wasm': 'binary' } });

const helper = '../browser-runtime/src/device/wasm/helper_worker.ts';

mkdirSync('dist', { recursive: true });
execFileSync('runtime/build.sh', ['dist'], { stdio: 'inherit' });
await build({
  entryPoints: { page: 'src/page/main.ts', agent_worker: 'src/worker/agent_worker.ts', device_worker: 'src/worker/device_worker.ts', helper_worker: helper },
  absWorkingDir: here, outdir: 'dist', bundle: true, format: 'esm', target: 'es2022', minify: true, sourcemap: true, logLevel: 'warning',
});
const globals = 'src/node/browser_globals.ts', socket = 'src/node/browser_socket.ts';
await build({
  entryPoints: { node_agent: 'src/node/main.ts' }, absWorkingDir: here, outdir: 'dist', outExtension: { '.js': '.mjs' }, bundle: true, platform: 'node',
  format: 'esm', target: 'node18', logLevel: 'warning',
});
// The page's workers behind what they take from a browser; the device's worker has native kernels besides.
for (const [worker, source, inject] of [['agent_worker', 'src/worker/agent_worker.ts', [globals, socket]], ['device_worker', 'src/node/device_worker.ts', [globals]], ['helper_worker', helper, [globals]]]) {
  await build({
    entryPoints: { [`node_${worker}`]: source }, inject, absWorkingDir: here, outdir: 'dist', outExtension: { '.js': '.mjs' }, bundle: true,
    platform: 'node', format: 'esm', target: 'node18', logLevel: 'warning',
    // ws is CommonJS: its require of Node's own modules needs one.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}
cpSync('node_modules/ws/LICENSE', 'dist/node_ws_license.txt');
for (const file of ['index.html', 'style.css', 'icon.svg']) cpSync(`src/page/${file}`, `dist/${file}`);
// What measures a device's limits, as a module that scripts/bench loads into a page.
await build({ entryPoints: ['src/device/webgpu/limits.ts'], absWorkingDir: here, outdir: 'dist-bench', bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' });
await buildRuntime(build, 'dist/package_runtime.wasm');
await buildReport(build, path.join(here, 'node_modules'));

if (tests) {
  rmSync('dist-test', { recursive: true, force: true });
  const found = folder => !existsSync(folder) ? [] : readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
    entry.isDirectory() ? found(`${folder}/${entry.name}`) : entry.name.endsWith('.test.ts') ? [`${folder}/${entry.name}`] : []);
  for (const [kind, folders] of [['unit', ['src', '../browser-runtime/src', '../browser-report/src']], ['browser', ['test', '../browser-runtime/test', '../browser-report/test']]]) {
    await build({
      entryPoints: folders.flatMap(found), absWorkingDir: here, outdir: `dist-test/${kind}`, entryNames: '[name]', bundle: true, packages: 'external', platform: 'node',
      format: 'esm', target: 'node18', sourcemap: 'inline', logLevel: 'warning',
    });
  }
}
