// The places of scripts/bench posts, and its table and chart.

// Where hone runs a model, by name: what an agent is started as.
export const PLACES = {
  native: { text: 'native, LLVM', target: 'native', browser: 'native' },
  wasm_chromium: { text: 'WebAssembly, Chromium', target: 'wasm', browser: 'chromium' },
  wasm_firefox: { text: 'WebAssembly, Firefox', target: 'wasm', browser: 'firefox' },
  wasm_node: { text: 'WebAssembly, Node.js', target: 'wasm', browser: 'node' },
  opencl: { text: 'OpenCL', target: 'opencl', browser: 'native' },
  opengl: { text: 'OpenGL', target: 'opengl', browser: 'native' },
  webgl_chromium: { text: 'WebGL, Chromium', target: 'webgl', browser: 'chromium' },
  webgl_firefox: { text: 'WebGL, Firefox', target: 'webgl', browser: 'firefox' },
  webgpu_chromium: { text: 'WebGPU, Chromium', target: 'webgpu', browser: 'chromium' },
  webgpu_firefox: { text: 'WebGPU, Firefox', target: 'webgpu', browser: 'firefox' },
  webgpu_dawn: { text: 'WebGPU, Dawn in Node.js', target: 'webgpu', browser: 'node' },
};

// Of `hone bench --json` with one kind of schedules.
export function rowOf({ device, variants: [only] }) {
  const said = [device.vendor, device.architecture, device.device, device.description].filter(text => text !== '');
  return { ms: only.model_ms_median, p10: only.model_ms_p10, p90: only.model_ms_p90, runs: only.run_ms.length, launches: only.launches, tuned: only.schedules.tuned,
    tasks: only.schedules.tuned + only.schedules.seed + only.schedules.naive, device: [...new Set(said)].join(', ') };
}

const number = ms => (ms >= 100 ? ms.toFixed(0) : ms.toPrecision(3));
const cells = row => (row.failed ? ['–', '–', '–', '–', `failed: ${row.failed}`] : [number(row.ms), `${number(row.p10)}–${number(row.p90)}`, row.runs, `${row.tuned} of ${row.tasks}`, row.device]);

function table(rows) {
  const lines = rows.map(row => `| ${[row.model, PLACES[row.place].text, ...cells(row)].join(' | ')} |`);
  return ['| model | where | ms a run | 10–90 % | runs | tasks tuned | device |', '| --- | --- | --- | --- | --- | --- | --- |', ...lines].join('\n');
}

// Runs a second: longer is better, and the slowest is still to be seen.
function chart(model, rows) {
  const known = rows.filter(row => row.model === model && !row.failed);
  if (known.length === 0) return '';
  const names = known.map(row => `"${PLACES[row.place].text}"`).join(', '), rates = known.map(({ ms }) => (1000 / ms).toFixed(1)).join(', ');
  return ['```mermaid', 'xychart-beta horizontal', `  title "${model}: runs a second"`, `  x-axis [${names}]`, `  y-axis "runs a second"`, `  bar [${rates}]`, '```'].join('\n');
}

export function markdown({ runs, rows }) {
  const models = [...new Set(rows.map(({ model }) => model))];
  return ['## Everywhere on one machine', `Written by \`scripts/bench posts\`: up to ${runs} runs each, inputs up and outputs back, without loading. Where the device is a driver in software, the same`,
    'processor does all the work.', '', table(rows), '', models.map(model => chart(model, rows)).filter(text => text !== '').join('\n\n'), ''].join('\n');
}
