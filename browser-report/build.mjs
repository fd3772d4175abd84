// Bundles the page of benchmarks' reports into dist/report.html, one file that needs nothing else: hone report puts data into it (cli/bench_reports/html.cc). Part of
// browser-agent's build (npm run build --prefix browser-agent), which has esbuild and uPlot.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);

const sourceOf = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

// Its own script and styles, by what they are, and nothing from anywhere.
const policyOf = (script, styles) => `default-src 'none'; script-src ${sourceOf(script)}; style-src ${styles.map(sourceOf).join(' ')}; base-uri 'none'; form-action 'none'`;

// modules: the folder of packages.
export async function buildReport(build, modules) {
  mkdirSync(`${here}/dist`, { recursive: true });
  const { outputFiles: [{ text: script }] } = await build({
    absWorkingDir: here, entryPoints: ['src/main.ts'], bundle: true, write: false, format: 'iife', target: 'es2022', minify: true, legalComments: 'none',
    nodePaths: [modules], logLevel: 'warning', tsconfigRaw: {},
  });
  const styles = [readFileSync(`${modules}/uplot/dist/uPlot.min.css`, 'utf8'), readFileSync(`${here}/src/style.css`, 'utf8')];
  const parts = {
    '<!-- policy -->': `<meta http-equiv="Content-Security-Policy" content="${policyOf(script, styles)}">`,
    '<!-- styles -->': styles.map(style => `<style>${style}</style>`).join('\n  '),
    '<!-- script -->': `<script>${script}</script>`,
    '<!-- licence -->': `<!-- The charts are uPlot's:\n${readFileSync(`${modules}/uplot/LICENSE`, 'utf8')}-->`,
  };
  const page = Object.entries(parts).reduce((html, [place, content]) => html.split(place).join(content), readFileSync(`${here}/src/index.html`, 'utf8'));
  writeFileSync(`${here}/dist/report.html`, page);
}
