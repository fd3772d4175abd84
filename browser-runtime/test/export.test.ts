// What `hone export` writes, in a real Chromium from a plain static server, against what `hone run` gives for the same inputs on this machine's
// processor. HONE_BINARY: the program; without it there is nothing to export with.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { npyOf, valuesOf } from './npy.ts';
import { StaticServer } from './static_server.ts';

const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const hone = process.env['HONE_BINARY'];
const skip = hone === undefined ? 'HONE_BINARY does not say where the program is' : false;
const screenshots = process.env['HONE_SCREENSHOTS'];    // a folder for pictures that people look at
const error_max = 1e-4;   // of the output's range, as of any model that hone runs

interface Model { name: string; size: number; input: string; shape: readonly number[] }
const models: readonly Model[] = [
  { name: 'encoder', size: 16, input: 'input', shape: [1, 16, 128] },
  { name: 'squeezenet', size: 64, input: 'input', shape: [1, 3, 64, 64] },
  { name: 'equilibrium', size: 16, input: 'input', shape: [1, 16] },   // a run counts its trips
];

const folder = mkdtempSync(path.join(tmpdir(), 'hone_export_'));
let server: StaticServer;
let chromium: Chromium;

const inFolder = (name: string): string => path.join(folder, name);
const run = (...args: string[]): ReturnType<typeof spawnSync> => spawnSync(hone!, args, { cwd: folder, encoding: 'utf8' });

function checked(...args: string[]): string {
  const { status, stdout, stderr } = run(...args);
  assert.equal(status, 0, `hone ${args.join(' ')}: ${String(stderr)}`);
  return String(stdout);
}

async function assertFits(width: number, scheme: 'light' | 'dark'): Promise<void> {
  await chromium.resize(width, scheme);
  assert.equal(await chromium.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, `${width} px, ${scheme}`);
  if (screenshots !== undefined) writeFileSync(path.join(screenshots, `package_picture_${width}_${scheme}.png`), await chromium.screenshot());
}

const numberAt = (i: number): number => Math.fround(Math.sin(i * 0.37));
const countOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

before(async () => {
  if (hone === undefined) return;
  for (const { name, size } of models) execFileSync(path.join(source, 'scripts/gen_model'), [name, '--size', String(size), '--out', inFolder(`${name}.onnx`)]);
  server = await StaticServer.start({ '/': folder });
  server.files.set('/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  chromium = await Chromium.launch();
}, { timeout: 120_000 });

after(async () => {
  await (chromium as Chromium | undefined)?.close();
  (server as StaticServer | undefined)?.close();
  rmSync(folder, { recursive: true });
});

for (const model of models) {
  test(`given ${model.name}, exported without records, when each backend runs it, then its outputs are those of the processor`, { skip }, async () => {
    const { name, input, shape } = model, count = countOf(shape);
    const exported = JSON.parse(checked('export', `${name}.onnx`, '--out', name, '--json')) as { plans: { target: string }[] };
    assert.deepEqual(exported.plans.map(({ target }) => target), ['webgpu', 'webgl', 'webgl', 'wasm', 'wasm', 'wasm', 'wasm']);
    writeFileSync(inFolder('x.npy'), npyOf(shape, Float32Array.from({ length: count }, (_, i) => numberAt(i))));
    checked('run', `${name}.onnx`, '--input', `${input}=x.npy`, '--out', 'expected', '--target', 'native', '--own-browser');
    await chromium.open(server.url('/empty.html'));
    for (const backend of ['webgpu', 'webgl', 'wasm']) {
      const got = await chromium.evaluate(`import('/${name}/index.js').then(async ({ load }) => {
        const model = await load(undefined, { backend: '${backend}' });
        const x = Float32Array.from({ length: ${count} }, (_, i) => Math.fround(Math.sin(i * 0.37)));
        const outputs = Object.entries(await model.run({ '${input}': x })).map(([name, values]) => [name, [...values]]);
        model.dispose();
        return { outputs, backend: model.used.backend };
      }).catch(error => ({ error: error.message }))`) as { error?: string; backend: string; outputs: [string, number[]][] };
      assert.equal(got.error, undefined);
      assert.equal(got.backend, backend);
      for (const [output, values] of got.outputs) {
        const expected = valuesOf(readFileSync(path.join(folder, 'expected', `${output}.npy`)));
        const range = Math.max(...expected.map(Math.abs)), error = Math.max(...values.map((v, i) => Math.abs(v - expected[i]!)));
        assert.equal(values.length, expected.length);
        assert.ok(error <= error_max * range, `${backend}, ${output}: ${error} of ${range}`);
      }
    }
  });
}

test('given the page of a model of pictures, when a picture or a text is dropped on it, then the model runs on the picture, and the text is refused', { skip }, async () => {
  const drop = (making: string): Promise<unknown> => chromium.evaluate(`(async () => {
    const files = new DataTransfer();
    files.items.add(await (async () => { ${making} })());
    document.getElementById('picture').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
  })()`);
  checked('export', 'squeezenet.onnx', '--out', 'page', '--targets', 'wasm');
  await chromium.open(server.url('/page/index.html'));
  await chromium.waitForText(/Ready\.[^]*Drop a picture here/);
  await chromium.evaluate(`document.getElementById('run').click()`);
  await chromium.waitForText(/ ms, median of 10/);
  const generated = await chromium.evaluate(`document.getElementById('results').textContent`);
  await chromium.evaluate(`document.getElementById('time').textContent = ''`);
  await drop(`const canvas = new OffscreenCanvas(128, 64), context = canvas.getContext('2d');
    context.fillStyle = 'rgb(255, 0, 0)';
    context.fillRect(32, 0, 64, 64);
    return new File([await canvas.convertToBlob()], 'red.png', { type: 'image/png' });`);
  await chromium.waitForText(/ ms, median of 10/);
  assert.deepEqual(await chromium.evaluate(`(() => { const seen = document.getElementById('seen'), { data } = seen.getContext('2d').getImageData(0, 0, 64, 64);
    return [seen.hidden, seen.width, seen.height, [...data.slice(0, 4)], [...data.slice(-4)]]; })()`), [false, 64, 64, [255, 0, 0, 255], [255, 0, 0, 255]]);
  assert.notEqual(await chromium.evaluate(`document.getElementById('results').textContent`), generated);
  for (const scheme of ['light', 'dark'] as const) for (const width of [360, 1100]) await assertFits(width, scheme);
  await drop(`return new File(['words'], 'notes.txt', { type: 'text/plain' });`);
  await chromium.waitForText(/notes\.txt is no picture that this browser can read\./);
});

test('given a model whose batch is open, when it is exported for two sizes, then both run over the same weights, and another is refused', { skip }, async () => {
  execFileSync(path.join(source, 'scripts/gen_model'), ['squeezenet', '--size', '32', '--open-batch', '--out', inFolder('open.onnx')]);
  const exported = JSON.parse(checked('export', 'open.onnx', '--out', 'sizes', '--targets', 'wasm', '--dim', 'batch=1,3', '--json')) as { weights_bytes: number; plans: { made_for: string }[] };
  assert.deepEqual(exported.plans.map(({ made_for }) => made_for).filter(name => /threads;/.test(name)), ['portable, threads; batch=1', 'portable, threads; batch=3']);
  const chunks = readdirSync(inFolder('sizes')).filter(name => name.startsWith('weights-')), weights_bytes = chunks.reduce((sum, name) => sum + readFileSync(inFolder(`sizes/${name}`)).length, 0);
  assert.equal(weights_bytes, exported.weights_bytes);   // of one size
  await chromium.open(server.url('/empty.html'));
  const said = await chromium.evaluate(`import('/sizes/index.js').then(async ({ load }) => {
    const one = Float32Array.from({ length: ${3 * 32 * 32} }, (_, i) => Math.fround(Math.sin(i * 0.37))), three = new Float32Array([...one, ...one.map(x => -x), ...one]);
    const first = await load(), third = await load(undefined, { dims: { batch: 3 } });
    const [a] = Object.values(await first.run({ input: one })), [b] = Object.values(await third.run({ input: three }));
    const refused = await load(undefined, { dims: { batch: 2 } }).catch(error => error.message);
    return { shape: third.inputs[0].shape, a: [...a], b: [...b], refused };
  }).catch(error => ({ error: error.message }))`) as { error?: string; shape: number[]; a: number[]; b: number[]; refused: string };
  assert.equal(said.error, undefined);
  assert.deepEqual(said.shape, [3, 3, 32, 32]);
  assert.equal(said.b.length, 3 * said.a.length);
  const range = Math.max(...said.a.map(Math.abs));
  for (const [i, value] of said.a.entries()) for (const at of [i, 2 * said.a.length + i]) assert.ok(Math.abs(said.b[at]! - value) <= error_max * range, `${at}: ${said.b[at]}, not ${value}`);
  assert.equal(said.refused, 'The package was not made for batch=2. It has batch=1; batch=3.');
});

test('given a package in a single file, when it is opened from the disk, then it runs there on each backend, with the same results', { skip }, async () => {
  const found: number[][] = [];
  for (const target of ['webgpu', 'webgl', 'wasm']) {
    checked('export', 'squeezenet.onnx', '--out', `single_${target}`, '--targets', target, '--single-file');
    assert.deepEqual(readdirSync(inFolder(`single_${target}`)), ['index.html']);
    await chromium.open(pathToFileURL(inFolder(`single_${target}/index.html`)).href);
    await chromium.waitForText(/Ready\./);
    await chromium.evaluate(`document.getElementById('run').click()`);
    await chromium.waitForText(/ ms, median of 10/);
    assert.equal(await chromium.evaluate(`document.getElementById('backend').textContent`), target);
    found.push(String(await chromium.evaluate(`document.getElementById('results').textContent`)).replace(/^.*: |, …$/g, '').split(', ').map(Number));
  }
  const [first, ...others] = found, range = Math.max(...first!.map(Math.abs));
  assert.equal(first!.length, 5);
  for (const numbers of others) for (const [i, value] of numbers.entries()) assert.ok(Math.abs(value - first![i]!) <= 2e-3 * range, `${numbers}, not ${first}`);   // of four digits
});

test('given a model of products of whole numbers of 64 bits, when each backend runs it, then small ones are right, and large ones reject with the name of the value', { skip }, async () => {
  execFileSync('/usr/bin/python3', ['-c', `
from onnx import helper as h, save_model, TensorProto as T
v = lambda name, shape: h.make_tensor_value_info(name, T.INT64, shape)
nodes = [h.make_node('MatMul', ['ids', 'ids'], ['dot']), h.make_node('Add', ['dot', 'ids'], ['y'])]
save_model(h.make_model(h.make_graph(nodes, 'product', [v('ids', [40])], [v('y', [40])]), opset_imports=[h.make_opsetid('', 17)]), 'product.onnx')`], { cwd: folder });
  checked('export', 'product.onnx', '--out', 'product');
  const left = (value: string): string => `The value ${value} left the 32 bits in which devices compute whole numbers of 64, and what follows from it would be wrong: give inputs that keep it smaller.`;
  await chromium.open(server.url('/empty.html'));
  for (const backend of ['webgpu', 'webgl', 'wasm']) {
    const said = await chromium.evaluate(`import('/product/index.js').then(async ({ load }) => {
      const model = await load(undefined, { backend: '${backend}' }), of = async (first, rest) => {
        const ids = new BigInt64Array(40).fill(rest);
        ids[0] = first;
        return model.run({ ids }).then(({ y }) => String(y[0]), error => error.message);
      };
      const all = [await of(3n, 2n), await of(0n, 7420n), await of(0n, 7421n), await of(65536n, 0n), await of(-2147483648n, 0n), await of(46340n, 0n), await of(46340n, 40n)];
      model.dispose();
      return all;
    }).catch(error => error.message)`) as string[];
    assert.deepEqual(said, ['168', '2147199600', left('dot'), left('dot'), left('dot'), '2147441940', left('y')], backend);
  }
  const on_gpu = await chromium.evaluate(`import('/product/index.js').then(async ({ load }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice(), model = await load(undefined, { device, backend: 'webgpu' });
    const of = ids => model.run({ ids: new BigInt64Array(40).fill(ids) }, { outputs: 'gpu' }).then(({ y }) => String(y.size), error => error.message);
    const all = [await of(2n), await of(7421n), await of(3n)];
    model.dispose();
    return all;
  }).catch(error => error.message)`);
  assert.deepEqual(on_gpu, ['160', left('dot'), '160']);
});

test('given a model beyond the size of a single file, when it is exported as one, then a sentence says so, and nothing is written', { skip }, () => {
  execFileSync(path.join(source, 'scripts/gen_model'), ['resnet18', '--size', '32', '--out', inFolder('large.onnx')]);
  const { status, stderr } = run('export', 'large.onnx', '--out', 'large', '--single-file');
  assert.equal(status, 1);
  assert.match(String(stderr), /^hone: the package has \d+\.\d MB, more than the 21\.0 MB of one page: leave --single-file out/);
  assert.ok(!readdirSync(folder).includes('large'));
});

test('given a package, when a service runs and times it on each kind of device, then the outputs are those of the model', { skip }, () => {
  const { name, input, shape } = models[0]!;
  checked('export', `${name}.onnx`, '--out', 'sent');
  writeFileSync(inFolder('x.npy'), npyOf(shape, Float32Array.from({ length: countOf(shape) }, (_, i) => numberAt(i))));
  checked('run', `${name}.onnx`, '--input', `${input}=x.npy`, '--out', 'of_model', '--target', 'native', '--own-browser');
  for (const target of ['webgpu', 'webgl', 'wasm']) {
    checked('run', '--package', 'sent', '--input', `${input}=x.npy`, '--out', `of_${target}`, '--target', target, '--own-browser');
    const [output] = readdirSync(inFolder('of_model')), read = (from: string): Float32Array => valuesOf(readFileSync(path.join(folder, from, output!)));
    const expected = read('of_model'), got = read(`of_${target}`), range = Math.max(...expected.map(Math.abs));
    assert.equal(got.length, expected.length);
    assert.ok(Math.max(...got.map((v, i) => Math.abs(v - expected[i]!))) <= error_max * range, target);
  }
  const timed = JSON.parse(checked('bench', '--package', 'sent', '--target', 'wasm', '--runs', '2', '--own-browser', '--json')) as { variants: { run_ms: number[] }[] };
  assert.deepEqual(timed.variants.map(({ run_ms }) => run_ms.length), [2]);
  for (const [args, status, said] of [
    [['run', '--package', 'sent', '--check'], 1, /nothing to compare it with/],
    [['run', '--package', 'of_model'], 1, /manifest\.json cannot be read/],
    [['run', '--package', 'sent', '--dim', 'n=1'], 2, /sizes of a package are fixed/],
    [['run'], 2, /nothing to run/],
    [['run', '--package', 'sent', '--target', 'native', '--own-browser'], 1, /no plan for native/],
  ] as const) {
    const failed = run(...args);
    assert.equal(failed.status, status, String(failed.stderr));
    assert.match(String(failed.stderr), said);
  }
});

test('given an export, when a page names what its files are, then it loads, and with an altered manifest it does not', { skip }, async () => {
  const exported = JSON.parse(checked('export', 'squeezenet.onnx', '--out', 'named', '--targets', 'wasm', '--json')) as { integrity: Record<string, string> };
  const integrity = JSON.parse(readFileSync(inFolder('named/integrity.json'), 'utf8')) as Record<string, string>;
  assert.deepEqual(exported.integrity, integrity);
  assert.deepEqual(Object.keys(integrity).sort(), ['index.js', 'manifest.json', 'page.js', 'runtime.wasm', 'worker.js']);
  for (const [file, said] of Object.entries(integrity)) assert.equal(said, `sha256-${createHash('sha256').update(readFileSync(inFolder(`named/${file}`))).digest('base64')}`, file);
  const load = (): Promise<unknown> => chromium.evaluate(`import('/named/index.js').then(async ({ load }) => {
    const model = await load(undefined, { integrity: ${JSON.stringify(integrity)} });
    model.dispose();
    return 'loaded';
  }).catch(error => error.message)`);
  await chromium.open(server.url('/empty.html'));
  assert.equal(await load(), 'loaded');
  writeFileSync(inFolder('named/manifest.json'), readFileSync(inFolder('named/manifest.json'), 'utf8').replace('"tuned":0', '"tuned":1'));
  assert.match(String(await load()), /^manifest\.json of the package is not the file that was exported/);
});

test('given f16 weights, when exported, then the download is half and the outputs are near', { skip }, async () => {
  const bytes = (name: string, ...options: string[]): number => (JSON.parse(checked('export', 'encoder.onnx', '--out', name, '--targets', 'wasm', '--json', ...options)) as { weights_bytes: number }).weights_bytes;
  const whole = bytes('whole'), half = bytes('half', '--weights', 'f16');
  assert.ok(half < 0.51 * whole, `${half} of ${whole}`);
  await chromium.open(server.url('/empty.html'));
  const error = await chromium.evaluate(`(async () => {
    const x = Float32Array.from({ length: ${countOf(models[0]!.shape)} }, (_, i) => Math.sin(i * 0.37)), all = [];
    for (const name of ['whole', 'half']) {
      const { load } = await import('/' + name + '/index.js');
      const model = await load();
      all.push(Object.values(await model.run({ input: x }))[0]);
      model.dispose();
    }
    return Math.max(...all[0].map((v, i) => Math.abs(v - all[1][i]))) / Math.max(...all[0].map(Math.abs));
  })()`) as number;
  assert.ok(error > 0 && error < 2e-2, String(error));
});

test('given a folder that is not empty, a model that is none, or a kind that no browser runs, when exported, then a sentence says so and nothing is written', { skip }, () => {
  checked('export', 'encoder.onnx', '--out', 'once', '--targets', 'wasm');
  const manifest = readFileSync(inFolder('once/manifest.json'), 'utf8');
  for (const [args, status, said] of [
    [['encoder.onnx', '--out', 'once'], 1, /once is not empty; give a new folder with --out/],
    [['x.npy', '--out', 'new'], 1, /not a complete ONNX model/],
    [['encoder.onnx', '--out', 'new', '--targets', 'opengl'], 2, /opengl/],
    [['encoder.onnx', '--out', 'x.npy/new'], 1, /x\.npy\/new|x\.npy/],
    [['encoder.onnx', '--out', 'new', '--device', 'abc'], 1, /there is no database|no device abc/],
  ] as const) {
    const failed = run('export', ...args);
    assert.equal(failed.status, status, String(failed.stderr));
    assert.match(String(failed.stderr), said);
  }
  assert.equal(readFileSync(inFolder('once/manifest.json'), 'utf8'), manifest);
  assert.equal(spawnSync('ls', [folder], { encoding: 'utf8' }).stdout.includes('new'), false);
});
