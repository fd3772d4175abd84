// What the peers need before they can take turns: the works' files, and one browser with a server of files.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSERS } from './browsers/by_name.mjs';
import { lastingBrowser } from './lasting_browser.mjs';
import { inputsOf, toBase64 } from './page/tensors.js';
import { serve } from './static_server.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url)), PYTHON = '/usr/bin/python3';

function withValues(work) {
  const values = inputsOf(work);
  return { ...work, inputs: work.inputs.map((input, i) => (input.constant ? { ...input, values: toBase64(values[i]) } : input)) };
}

// Writes each work's ONNX file, with its graph as JSON beside it, and notes its `path` here and `file` for pages.
export function prepareWorks(works, folder) {
  const operators = works.filter(work => !work.model).map(withValues);
  execFileSync(PYTHON, [path.join(HERE, 'gen_op.py'), folder], { input: JSON.stringify(operators), maxBuffer: 1 << 28 });
  for (const work of works) {
    work.path = path.join(folder, `${work.name}.onnx`);
    work.file = `/models/${work.name}.onnx`;
    if (work.model) execFileSync(path.join(HERE, '../../scripts/gen_model'), [work.name, '--out', work.path]);
  }
  execFileSync(PYTHON, [path.join(HERE, 'graph_json.py'), ...works.map(work => work.path)]);
}

// A browser of browsers/by_name.mjs whose pages find page/, node_modules/, agent/ and the works' folder; link: as static_server.mjs has it; how: as by_name.mjs. Close it.
export async function openBrowser(folder, name = 'chromium', link = {}, how = {}) {
  const server = await serve({ page: path.join(HERE, 'page'), node_modules: path.join(HERE, 'node_modules'), agent: path.join(HERE, '../../browser-agent/dist-bench'), models: folder }, link);
  const browser = await lastingBrowser(() => BROWSERS[name](server.url, how));
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { ...browser, close };
}
