// Bundles the runtime of packages into dist/, one folder of static files beside which an export puts its manifest, kernels and weights. Part of
// browser-agent's build (npm run build --prefix browser-agent), whose esbuild and runtime.wasm it gets.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

// The page takes the runtime from the file that others import, too.
const runtimeFromIndex = {
  name: 'runtime from index.js',
  setup: build => build.onResolve({ filter: /package\/load\.ts$/ }, ({ kind }) => (kind === 'entry-point' ? undefined : { path: './index.js', external: true })),
};

// A page of one file, into which an export puts the package's files (src/package/embedded.ts) before </body>; and its worker, a plain script: Chromium
// starts no module as a worker on a page from the disk.
async function buildSinglePage(build, options) {
  const { outputFiles: [{ text }] } = await build({ ...options, entryPoints: ['src/page/main.ts'], write: false });
  const parts = { '<link rel="stylesheet" href="style.css">': `<style>\n${readFileSync(`${here}/src/page/style.css`, 'utf8')}</style>`, [page_script]: `<script type="module">${text}</script>` };
  const page = Object.entries(parts).reduce((html, [link, content]) => html.split(link).join(content), readFileSync(`${here}/src/page/index.html`, 'utf8'));
  await build({ ...options, entryPoints: ['src/package/worker.ts'], outdir: 'dist/single_file', format: 'iife', define: { 'import.meta.url': 'location.href' } });
  writeFileSync(`${here}/dist/single_file/index.html`, page);
}

const page_script = '<script type="module" src="page.js"></script>';

// The page names what its scripts are. index.js, which page.js imports, is a script of the page first, for browsers check no imports.
function writePage() {
  const scripts = ['index.js', 'page.js'].map(file => {
    const digest = createHash('sha256').update(readFileSync(`${here}/dist/${file}`)).digest('base64');
    return `<script type="module" src="${file}" integrity="sha256-${digest}"></script>`;
  });
  writeFileSync(`${here}/dist/index.html`, readFileSync(`${here}/src/page/index.html`, 'utf8').replace(page_script, scripts.join('\n  ')));
}

export async function buildRuntime(build, runtime_wasm) {
  mkdirSync(`${here}/dist`, { recursive: true });
  const options = {
    absWorkingDir: here, bundle: true, format: 'esm', target: 'es2022', minify: true, logLevel: 'warning',
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },   // what a constructor sets is not declared besides
  };
  await build({
    ...options, outdir: 'dist', plugins: [runtimeFromIndex],
    entryPoints: { index: 'src/package/load.ts', worker: 'src/package/worker.ts', page: 'src/page/main.ts' },
  });
  await buildSinglePage(build, options);
  cpSync(runtime_wasm, `${here}/dist/runtime.wasm`);
  cpSync(`${here}/src/package/index.d.ts`, `${here}/dist/runtime.d.ts`);  // a package's own index.d.ts names its inputs and outputs
  cpSync(`${here}/src/page/style.css`, `${here}/dist/style.css`);
  writePage();
}
