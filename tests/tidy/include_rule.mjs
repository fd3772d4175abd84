// Who may include whom (docs/architecture.md): each folder with the folders that it may name in #include or import.
// The longest prefix of a file's path is its folder. A folder may always use itself and the generated error codes.

const codegenBelowSchedule = ['base', 'codegen/ir', 'codegen/arith', 'codegen/te', 'codegen/target'];
const codegenBelowEmit = [...codegenBelowSchedule, 'codegen/schedule', 'codegen/lower'];
const allCpp = ['base', 'schema', 'stats', 'codegen', 'tuner', 'tracker', 'server', 'browser-agent/launch', 'cli'];

export const MAY_USE = {
  'base': [],
  'base/net': ['base'],
  'base/sql': ['base'],
  'schema': ['base'],
  'stats': ['base'],
  'codegen': ['base'],
  'codegen/ir': ['base'],
  'codegen/arith': ['base', 'codegen/ir'],
  'codegen/target': ['base', 'codegen/ir'],
  'codegen/te': ['base', 'codegen/ir', 'codegen/arith'],
  'codegen/schedule': codegenBelowSchedule,
  'codegen/lower': [...codegenBelowSchedule, 'codegen/schedule'],
  'codegen/emit': ['base', 'codegen/ir'],
  'codegen/emit/c_like': [...codegenBelowEmit, 'codegen/emit/kernel_source.h'],
  'codegen/emit/wgsl': [...codegenBelowEmit, 'codegen/emit/kernel_source.h', 'codegen/emit/c_like'],
  'codegen/emit/glsl': [...codegenBelowEmit, 'codegen/emit/kernel_source.h', 'codegen/emit/c_like'],
  'codegen/emit/llvm': [...codegenBelowEmit, 'codegen/emit/kernel_source.h', 'codegen/emit/native_code.h'],
  'codegen/emit/opencl': [...codegenBelowEmit, 'codegen/emit/kernel_source.h', 'codegen/emit/c_like'],
  'codegen/graph': codegenBelowSchedule,
  'codegen/package': ['base', 'codegen', 'schema'],
  'codegen/reference': ['base', 'codegen'],
  'tuner': ['base', 'codegen', 'schema/db'],
  'tracker': ['base', 'schema'],
  'server': ['base', 'schema', 'stats', 'codegen', 'tuner', 'tracker/client.h', 'tracker/access.h'],
  'server/child': ['base'],
  'server/rest': ['base', 'schema'],
  'native_runtime': [],
  'browser-runtime': ['schema/generated'],
  'browser-report': [],
  'browser-agent': ['schema/generated'],
  'browser-agent/runtime': ['base', 'schema'],
  'browser-agent/native': ['base', 'schema', 'codegen'],
  'browser-agent/opengl': ['base', 'schema', 'codegen', 'browser-agent/native'],
  'browser-agent/opencl': ['base', 'schema', 'codegen', 'browser-agent/native'],
  'browser-agent/launch': ['base', 'schema'],
  'cli': allCpp,
  'bench': allCpp,
  'tests': [...allCpp, 'browser-agent', 'bench'],
};

// What stands outside of the project, by the first name in the include, and the only places that may name it.
const EXTERNAL = [
  [/^llvm(-c)?\//, ['codegen/emit/llvm'], 'LLVM'],
  [/^(onnx\/|google\/protobuf)/, ['codegen/graph/onnx_import_models.h', 'codegen/graph/hostile_model_test.cc', 'tests/mutants/mutate_model', 'bench/import_bench'], 'ONNX and protobuf'],
  // doctor reads a database that the store may be unable to open.
  [/^sqlite3\.h$/, ['base/sql', 'cli/checkup'], 'SQLite'],
  [/^libpq/, ['base/sql'], 'libpq'],
  // launch owns child processes and cli the signals, both on the event loop's io_context.
  [/^boost\/(asio|beast)/, ['base/net', 'browser-agent/launch', 'cli/interrupt'], 'Asio and Beast'],
  [/^boost\/math/, ['stats/quantiles'], 'Boost.Math'],
  [/^boost\/random/, ['bench/statistics'], 'Boost.Random'],
  [/^(libwebsockets\.h|uv\.h)$/, ['base/net'], 'libwebsockets and libuv'],
  [/^xgboost\//, ['tuner/cost_model'], 'XGBoost'],
  [/^CLI\//, ['cli/verb', 'bench'], 'CLI11'],
  [/^openssl\//, ['base/sha256', 'base/net'], 'OpenSSL'],
  [/^prometheus\//, ['cli/metrics_page'], 'prometheus-cpp'],
  [/^qrencode\.h$/, ['cli/qr_code'], 'libqrencode'],
  [/^spdlog\//, ['base/log', 'base/audit_log_test.cc', 'cli/console', 'cli/service_test.cc', 'cli/json_log_test.cc'], 'spdlog'],
  [/^benchmark\//, ['bench'], 'Google Benchmark'],
];

// These also run in the page: no threads, clock, files, and nothing that Emscripten's libc++ 13 lacks.
const PORTABLE = ['te', 'schedule', 'ir', 'arith', 'lower', 'target', 'emit/c_like', 'emit/wgsl', 'emit/opencl'].map(f => `codegen/${f}`);
const NOT_PORTABLE = /^(thread|mutex|shared_mutex|condition_variable|future|chrono|fstream|filesystem|format|ranges|source_location|coroutine|stop_token)$/;

const inside = (path, folder) => path === folder || path.startsWith(`${folder}/`);
const folderOf = (path, folders) => folders.filter(f => inside(path, f)).sort((a, b) => b.length - a.length)[0];
export const isTest = path => /(_test\.cc|\.test\.ts)$/.test(path) || /^(tests|bench)\//.test(path) || /^browser-(agent|report|runtime)\/test\//.test(path);

// A test may use whatever its top-level folder may, so that a lowering test can take its expression from te/ops.
function allowed(path, used) {
  if (used === 'schema/generated/error_code.h') return true;
  const folder = folderOf(path, Object.keys(MAY_USE));
  if (folder === undefined) return false;
  if (isTest(path) && inside(used, path.split('/')[0])) return true;
  if (inside(used, folder)) return folder !== 'codegen' || !/^codegen\/(graph|package)\//.test(used);
  return MAY_USE[folder].some(may => inside(used, may));
}

function* cppIncludes(text) {
  for (const [index, line] of text.split('\n').entries()) {
    const match = /^\s*#\s*include\s+([<"])([^>"]+)[>"]/.exec(line);
    if (match) yield { line: index + 1, quoted: match[1] === '"', used: match[2] };
  }
}

function cppFaults(path, text, files) {
  const faults = [];
  for (const { line, quoted, used } of cppIncludes(text)) {
    if (quoted && inside(path, 'native_runtime')) {
      if (used.includes('/')) faults.push({ line, text: `"${used}": exports have this folder alone` });
    } else if (quoted) {
      if (!used.includes('/')) faults.push({ line, text: `"${used}": name it from the project's root` });
      else if (!allowed(path, used)) faults.push({ line, text: `may not include ${used}` });
    }
    if (quoted) continue;
    for (const [pattern, places, name] of EXTERNAL) {
      if (pattern.test(used) && !places.some(place => path.startsWith(place)) && !path.startsWith('tests/'))
        faults.push({ line, text: `<${used}>: ${name} only in ${places.join(', ')}` });
    }
    if (/^(gtest|gmock)\//.test(used) && !isTest(path)) faults.push({ line, text: `<${used}> only in tests` });
    if (NOT_PORTABLE.test(used) && !isTest(path) && PORTABLE.some(f => inside(path, f)))
      faults.push({ line, text: `<${used}>: this folder also runs in the page` });
  }
  return faults;
}

// The folders of the two browser projects in the order of their use, each with what it may import besides generated/. Of device, core sees the
// interface. The agent may use the runtime (its folders begin with runtime/), never the reverse.
const BROWSER_MAY_IMPORT = {
  'browser-runtime': {
    device: ['device'],
    plan: ['device', 'plan'],
    package: ['device', 'plan', 'package'],
    page: ['package', 'page'],
  },
  'browser-agent': {
    protocol: ['protocol', 'core/channel'],
    core: ['protocol', 'core', 'device/backend', 'runtime/device/outcome'],
    device: ['protocol', 'core', 'device', 'runtime/device', 'runtime/plan'],
    worker: ['protocol', 'core', 'device', 'worker', 'runtime/device'],
    page: ['protocol', 'core', 'worker', 'page'],
    node: ['core', 'page/fragment', 'node', 'worker/device_host', 'worker/page_device', 'device/native', 'device/opengl', 'device/opencl', 'device/runner', 'runtime/device'],
  },
};
const BROWSER_MAY_USE = { 'browser-runtime': ['browser-runtime', 'browser-agent/dist/copy_rows.wasm'], 'browser-agent': ['browser-agent', 'browser-runtime'], 'browser-report': ['browser-report'], 'clients': ['clients/node'] };
// The agent on Node.js bundles ws, because not every version has a WebSocket.
const NODE_MAY_USE = /^(node:.*|ws)$/;
// The page of reports draws with uPlot.
const REPORT_MAY_USE = /^uplot$/;
// device/runner is no backend: native/, opengl/ and opencl/ share it.
const BACKENDS = /^browser-(?:agent|runtime)\/src\/device\/(?!runner\/)([a-z0-9_]+)\//;

const resolve = (from, to) => {
  const parts = from.split('/').slice(0, -1);
  for (const part of to.split('/')) part === '..' ? parts.pop() : part !== '.' && parts.push(part);
  return parts.join('/');
};

// A file of a project as its table names it; undefined outside of src.
function nameIn(project, path) {
  const [, owner, rest] = /^(browser-agent|browser-runtime)\/src\/(.+\/.+)$/.exec(path) ?? [];
  return owner === undefined ? undefined : owner === project ? rest : owner === 'browser-runtime' ? `runtime/${rest}` : undefined;
}

function tsFaults(path, text) {
  const faults = [];
  const [, project, folder] = /^(browser-agent|browser-runtime)\/src\/([a-z0-9_]+)\//.exec(path) ?? [];
  for (const [index, lineText] of text.split('\n').entries()) {
    const line = index + 1;
    if (project === 'browser-agent' && folder === 'core' && /<reference\s+lib="dom/.test(lineText)) faults.push({ line, text: 'core must not know the DOM' });
    const match = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/.exec(lineText);
    if (!match) continue;
    const name = match[1];
    if (!name.startsWith('.')) {
      if (inside(path, 'browser-report') && !isTest(path) && !REPORT_MAY_USE.test(name)) faults.push({ line, text: `imports ${name}: browser-report has uPlot alone` });
      if (project && !isTest(path) && !(folder === 'node' && NODE_MAY_USE.test(name))) faults.push({ line, text: `imports ${name}: ${project} has no dependencies` });
      continue;
    }
    const used = resolve(path, name);
    const own = isTest(path) ? Object.keys(BROWSER_MAY_USE) : BROWSER_MAY_USE[path.split('/')[0]] ?? ['browser-agent'];
    if (!own.some(one => inside(used, one)) && !inside(used, 'schema/generated') && !inside(path, 'tests') && !inside(path, 'bench'))
      faults.push({ line, text: `may not import ${used}` });
    if (!project || isTest(path)) continue;
    const may = BROWSER_MAY_IMPORT[project][folder], rest = nameIn(project, used);
    if (may && rest !== undefined && !/^(runtime\/)?generated\//.test(rest) && !may.some(m => rest.startsWith(m)))
      faults.push({ line, text: `${folder} may not import ${rest}` });
    const [mine, theirs] = [BACKENDS.exec(path), BACKENDS.exec(used)];
    if (mine && theirs && mine[1] !== theirs[1]) faults.push({ line, text: `backend ${mine[1]} may not import backend ${theirs[1]}` });
  }
  return faults;
}

// Clients have no dependency when they run. Python's pandas is imported where a frame is asked for.
const PYTHON_MAY_USE = [[/^clients\/python\/hone_client\/(frames|records)\.py$/, /^pandas$/], [/^clients\/python\/examples\//, /^(pandas|matplotlib)/], [/^clients\/python\/tests\//, /^(scripted|running)_service$/]];
const PYTHON_STANDARD = new Set(['__future__', 'base64', 'binascii', 'collections', 'contextlib', 'dataclasses', 'functools', 'http', 'io', 'itertools', 'json', 'math', 'os', 'pathlib', 're', 'resource', 'secrets',
  'socket', 'ssl', 'struct', 'subprocess', 'sys', 'tempfile', 'threading', 'time', 'types', 'typing', 'unittest', 'urllib']);

const isPythonsOwn = (path, name) => PYTHON_STANDARD.has(name.split('.')[0]) || /^hone_client\b/.test(name) || PYTHON_MAY_USE.some(([where, what]) => where.test(path) && what.test(name));

function clientFaults(path, text) {
  const faults = [];
  for (const [index, line] of text.split('\n').entries()) {
    const python = /\.py$/.test(path) && /^\s*(?:from|import)\s+([\w.]+)(?:\s+import\b|\s+as\b|\s*$)/.exec(line);
    if (python && !isPythonsOwn(path, python[1])) faults.push({ line: index + 1, text: `imports ${python[1]}: clients have no dependencies` });
    const node = /\.m?js$/.test(path) && /^(?:import|export)\b.*\bfrom\s*['"]([^'".][^'"]*)['"]/.exec(line);
    if (node && !node[1].startsWith('node:')) faults.push({ line: index + 1, text: `imports ${node[1]}: clients have no dependencies` });
  }
  return faults;
}

export function includeFaults(path, text) {
  if (/\.(h|cc|def)$/.test(path)) return cppFaults(path, text);
  if (/\.ts$/.test(path)) return tsFaults(path, text);
  if (inside(path, 'clients')) return clientFaults(path, text);
  return [];
}
