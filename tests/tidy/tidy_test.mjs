// Each rule is given one file that it must refuse and the control case that it must let pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check } from './tidy.mjs';
import { operatorName } from './word_rule.mjs';

const header = '#pragma once\n';
const faultsOf = (name, text) => check([[name, text]]);

const CASES = [
  ['include', 'codegen/ir/a.cc', '#include "tuner/space/b.h"\n', '#include "base/result.h"\n'],
  ['include', 'codegen/te/a.cc', '#include "codegen/lower/b.h"\n', '#include "codegen/arith/b.h"\n'],
  ['include', 'codegen/emit/wgsl/a.cc', '#include "codegen/emit/llvm/b.h"\n', '#include "codegen/emit/c_like/b.h"\n'],
  ['include', 'codegen/compile.cc', '#include "codegen/graph/b.h"\n', '#include "codegen/lower/b.h"\n'],
  ['include', 'tracker/a.cc', '#include "server/jobs/b.h"\n', '#include "schema/generated/messages.h"\n'],
  ['include', 'server/a.cc', '#include "tracker/registry.h"\n', '#include "tracker/client.h"\n'],
  ['include', 'base/a.cc', '#include "schema/generated/messages.h"\n', '#include "schema/generated/error_code.h"\n'],
  ['include', 'base/a.cc', '#include "a.h"\n', '#include "base/a.h"\n'],
  ['include', 'native_runtime/a.cc', '#include "base/b.h"\n', '#include "b.h"\n'],
  ['include', 'codegen/lower/a.cc', '#include <llvm/IR/Module.h>\n', '#include <vector>\n'],
  ['include', 'codegen/graph/fuse.cc', '#include <onnx/onnx_pb.h>\n', '#include <map>\n'],
  ['include', 'server/a.cc', '#include <sqlite3.h>\n', '#include <thread>\n'],
  ['include', 'server/a.cc', '#include <boost/asio.hpp>\n', '#include "base/net/executor.h"\n'],
  ['include', 'tracker/a.cc', '#include <libwebsockets.h>\n', '#include <map>\n'],
  ['include', 'codegen/schedule/a.cc', '#include <thread>\n', '#include <variant>\n'],
  ['include', 'tuner/space/a.cc', '#include <gtest/gtest.h>\n', '#include <string>\n'],
  ['include', 'browser-agent/src/core/a.ts', "import { b } from '../page/b.js';\n", "import { b } from '../device/backend.js';\n"],
  ['include', 'browser-agent/src/core/a.ts', '/// <reference lib="dom" />\n', '/// <reference lib="es2022" />\n'],
  ['include', 'browser-agent/src/device/webgpu/a.ts', "import { b } from '../wasm/b.js';\n", "import { b } from '../backend.js';\n"],
  ['include', 'browser-runtime/src/plan/a.ts', "import { b } from '../../../browser-agent/src/device/b.js';\n", "import { b } from '../device/webgpu/b.js';\n"],
  ['include', 'browser-agent/src/page/a.ts', "import { b } from '../../../browser-runtime/src/plan/b.js';\n", "import { b } from './b.js';\n"],
  ['include', 'browser-report/src/a.ts', "import { b } from 'd3';\n", "import uPlot from 'uplot';\n"],
  ['include', 'browser-report/src/a.ts', "import { b } from '../../browser-runtime/src/plan/b.js';\n", "import { b } from './b.js';\n"],
  ['include', 'browser-agent/src/page/a.ts', "import x from 'leftpad';\n", "import x from './x.js';\n"],
  ['include', 'browser-agent/src/node/a.ts', "import x from 'leftpad';\n", "import x from 'node:os';\n"],
  ['include', 'browser-agent/src/worker/a.ts', "import x from 'node:os';\n", undefined],
  ['include', 'browser-agent/src/node/a.ts', "import x from '../worker/x.js';\n", "import x from '../core/x.js';\n"],
  ['include', 'browser-agent/src/protocol/a.ts', "import x from '../../../server/x.js';\n", "import x from '../../../schema/generated/x.js';\n"],
  ['include', 'clients/node/src/a.d.ts', "import type { B } from '../../../browser-agent/src/b.js';\n", "import type { B } from '../generated/b.js';\n"],
  ['include', 'clients/node/src/a.js', "import x from 'leftpad';\n", "import fs from 'node:fs';\nimport { b } from './b.js';\n"],
  ['include', 'clients/python/hone_client/a.py', 'import requests\n', 'import json\nfrom hone_client import b\n'],
  ['include', 'clients/python/hone_client/a.py', '    import pandas\n', undefined],
  ['word', 'codegen/lower/a.cc', 'int conv2d_tile = 1;\n', 'int converted = 1;  // as a conv would\n'],
  ['word', 'tuner/space/a.cc', 'struct MatMulRule {};\n', 'struct ReduceRule {};\n'],
  ['word', 'server/a.cc', 'if (kind == "Softmax") return;\n', 'if (kind == "reduce") return;\n'],
  ['word', 'codegen/lower/relu.cc', '\n', undefined],
  ['reference', 'docs/a.md', '[b](b.md)\n', '[a](a.md#part), [web](https://example.org)\n'],
  ['reference', 'docs/a.md', '`docs/b.md`\n', '`docs/a.md`, `docs/NAME.md`, `docs/{a,b}.md`, `block.x/y`\n'],
  ['reference', 'docs/a.md', '`space/seeds.cc`\n', '`docs/a`, `build/a/b`\n'],
  ['name', 'base/BadName.cc', '\n', undefined],
  ['length', 'base/a.cc', 'int a;\n'.repeat(601), 'int a;\n'.repeat(600)],
  ['marker', 'base/a.cc', '// TO' + 'DO: later\n', '// done\n'],
  ['machine', 'base/a.cc', 'auto p = "/home/ann/x";\n', 'auto p = "/usr/bin/chromium";\n'],
  ['guard', 'base/a.h', 'int a;\n', header],
];

for (const [rule, name, bad, control] of CASES) {
  test(`given ${name} with ${JSON.stringify(bad.slice(0, 60))}, when checked, then ${rule} refuses it and passes the control`, () => {
    const faults = faultsOf(name, bad);
    assert.ok(faults.length > 0 && faults.every(fault => fault.includes(`: ${rule}: `)), faults.join('\n'));
    if (control !== undefined) assert.deepEqual(faultsOf(name, control), []);
  });
}

test('given two files that define a type of one name, when it is in one namespace, then the second is refused; when it is in two, or local to a file, then nothing is said', () => {
  const file = (space, type) => `#pragma once\nnamespace ${space} {\nstruct ${type} {\n};\n}  // namespace ${space}\n`;
  const faults = other => check([['tuner/space/a.h', file('hone::tuner', 'Access')], ['tuner/features/b.h', other]]);
  assert.deepEqual(faults(file('hone::tuner', 'Access')), ['tuner/features/b.h:3: definition: hone::tuner::Access is also defined in tuner/space/a.h']);
  assert.deepEqual(faults(file('hone::bench', 'Access')), []);
  assert.deepEqual(faults('#pragma once\nnamespace hone::tuner {\nstruct Access;\nnamespace {\nstruct Access {\n};\n}  // namespace\n}  // namespace hone::tuner\n'), []);
});

test('given the places where operators are defined, and tests, when they name one, then nothing is said', () => {
  for (const name of ['codegen/te/ops/conv.cc', 'codegen/graph/fuse.cc', 'codegen/lower/a_test.cc', 'cli/tune.cc'])
    assert.deepEqual(faultsOf(name, 'int conv = 0;\n'), []);
});

test('given identifiers, when split, then operator names are found and English words are not', () => {
  for (const name of ['conv', 'Conv2d', 'kConvTile', 'depthwise_conv', 'convolution', 'mat_mul', 'MatMul', 'batched_gemm', 'relu6', 'ReLU',
    'leakyRelu', 'SoftMax', 'LayerNorm', 'max_pool_2d', 'gelu_tanh'])
    assert.ok(operatorName(name), name);
  for (const name of ['convert', 'Convert', 'to_converted', 'conversion', 'kConversion', 'naming_convention', 'convergence', 'convenience',
    'prelude', 'print_prelude', 'iconView', 'reduce_max', 'pool', 'worker_pool', 'norm', 'max'])
    assert.equal(operatorName(name), undefined, name);
});
