// Bundles the runtime of packages into dist/, one folder of static files beside which an export puts its manifest, kernels and weights. Part of
// browser-agent's build (npm run build --prefix browser-agent), whose esbuild and runtime.wasm it gets.
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

// The page takes the runtime from the file that others import, too.
const runtimeFromIndex = {
  name: 'runtime from index.js',
  setup: build => build.onResolve({ filter: /package\/load\.ts$/ }, ({ kind }) => (kind === 'entry-point' ? undefined : { path: './index.js', external: true })),
};

export async function buildRuntime(build, runtime_wasm) {
  mkdirSync(`${here}/dist`, { recursive: true });
  await build({
    entryPoints: { index: 'src/package/load.ts', worker: 'src/package/worker.ts', helper_worker: 'src/device/wasm/helper_worker.ts', page: 'src/page/main.ts' },
    absWorkingDir: here, outdir: 'dist', bundle: true, format: 'esm', target: 'es2022', minify: true, logLevel: 'warning', plugins: [runtimeFromIndex],
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },   // what a constructor sets is not declared besides
  });
  cpSync(runtime_wasm, `${here}/dist/runtime.wasm`);
  cpSync(`${here}/src/package/index.d.ts`, `${here}/dist/runtime.d.ts`);  // a package's own index.d.ts names its inputs and outputs
  for (const file of ['index.html', 'style.css']) cpSync(`${here}/src/page/${file}`, `${here}/dist/${file}`);
}
