// Packages in a real headless Chromium, from a plain static server under a sub-path.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Chromium } from '../../browser-agent/test/chromium.ts';
import { StaticServer } from './static_server.ts';
import { expected, manifestOf, tinyPackage, x, type Files } from './tiny_package.ts';

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../browser-runtime/dist');
const strict = "default-src 'self'", with_wasm = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'";
const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

interface Loaded {
  error?: string;
  name?: string;
  used?: { backend: string; plan: string; why: string };
  outputs?: { y: number[]; twice: number[] }[];
}

let server: StaticServer;
let chromium: Chromium;
let next_package = 1;

before(async () => {
  server = await StaticServer.start({ '/app/runtime/': dist });
  server.files.set('/app/empty.html', Buffer.from('<!doctype html><title>empty</title>'));
  chromium = await Chromium.launch();
}, { timeout: 60_000 });

after(async () => {
  await chromium.close();
  server.close();
});

function put(files: Files): string {
  const folder = `/app/package${next_package++}/`;
  server.put(folder, files);
  return folder;
}

async function openPage({ csp = with_wasm, headers = {} as Record<string, string>, host = '127.0.0.1' } = {}): Promise<void> {
  server.headers = { 'Content-Security-Policy': csp, ...headers };
  await chromium.open(server.url('/app/empty.html', host));
}

// Loads the package in the page and runs it on x and on ids 1…5, so many times at once.
async function loadAndRun(folder: string, options = '{}', runs = 1, inputs = `{ x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) }`): Promise<Loaded> {
  return await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const model = await load('${folder}', ${options});
    const inputs = ${inputs};
    const all = await Promise.all(Array.from({ length: ${runs} }, () => model.run(inputs)));
    const outputs = all.map(({ y, twice }) => ({ y: [...y], twice: [...twice].map(Number) }));
    const { used } = model;
    model.dispose();
    return { used, outputs };
  }).catch(error => ({ error: error.message, name: error.name }))`) as Loaded;
}

function assertRight({ error, outputs = [] }: Loaded, runs = 1): void {
  assert.equal(error, undefined);
  assert.equal(outputs.length, runs);
  for (const { y, twice } of outputs) {
    assert.equal(y.length, expected.length);
    for (const [i, value] of expected.entries()) assert.ok(Math.abs(y[i]! - value) < 1e-5, `element ${i}: ${y[i]}, expected ${value}`);
    assert.deepEqual(twice, [2, 4, -6, 8, 10]);
  }
}

test('given a package for WebGPU alone, when loaded under a Content-Security-Policy without exceptions, then it runs, several times at once', async () => {
  await openPage({ csp: strict });
  const loaded = await loadAndRun(put(tinyPackage({ backends: ['webgpu'] })), '{}', 12);
  assertRight(loaded, 12);
  assert.equal(loaded.used?.backend, 'webgpu');
  assert.equal(loaded.used?.plan, 'portable');
  assert.match(loaded.used?.why ?? '', /portable/);
});

for (const backend of ['webgl', 'wasm'] as const) {
  test(`given a package for all, when ${backend} is asked for, then it runs`, async () => {
    await openPage();
    const loaded = await loadAndRun(put(tinyPackage()), `{ backend: '${backend}' }`, 6);
    assertRight(loaded, 6);
    assert.equal(loaded.used?.backend, backend);
    if (backend === 'wasm') assert.match(loaded.used?.why ?? '', /not cross-origin isolated, so WebAssembly runs on one thread/);
  });
}

test('given an isolated page, when WebAssembly is asked for, then it runs on shared memory', async () => {
  await openPage({ headers: isolated });
  const loaded = await loadAndRun(put(tinyPackage()), `{ backend: 'wasm' }`, 3);
  assertRight(loaded, 3);
  assert.doesNotMatch(loaded.used?.why ?? '', /one thread/);
});

test('given GPUs that are software, when no backend is asked for, then WebAssembly runs, and why says so', async () => {
  await openPage();
  const quickest = await loadAndRun(put(tinyPackage()));
  assertRight(quickest);
  assert.equal(quickest.used?.backend, 'wasm');
  assert.match(quickest.used?.why ?? '', /WebGPU runs on a software driver here/);
  const settled = await loadAndRun(put(tinyPackage()), '{ race: false }');   // all GPUs are looked at
  assert.equal(settled.used?.backend, 'wasm');
  assert.match(settled.used?.why ?? '', /WebGPU runs on a software driver here.*WebGL runs on a software driver here/);
});

test('given a page that forbids WebAssembly, when no backend is asked for, then a GPU runs instead, and why says so', async () => {
  await openPage({ csp: strict });
  const loaded = await loadAndRun(put(tinyPackage()));
  assertRight(loaded);
  assert.equal(loaded.used?.backend, 'webgpu');
  assert.match(loaded.used?.why ?? '', /for wasm failed: the page's Content-Security-Policy allows no WebAssembly \('wasm-unsafe-eval'\)\./);
});

test('given an insecure page, when loaded, then files are checked by the browser, and WebGL or WebAssembly runs', async () => {
  await openPage({ host: 'insecure.test' });
  const files = tinyPackage(), good = await loadAndRun(put(files));
  assertRight(good);
  damage(files, manifestOf(files).chunks[0]!.file);
  assert.match((await loadAndRun(put(files))).error ?? '', /^weights-\w+\.bin of the package could not be fetched, or is not the file that was exported/);
});

test('given code that does not compile on one backend, when loaded, then another one runs, and why says what failed', async () => {
  await openPage();
  const spoil = (spoiled: string) => (backend: string, code: Uint8Array): Uint8Array => (backend === spoiled ? Buffer.from('nonsense') : code);
  const loaded = await loadAndRun(put(tinyPackage({ code: spoil('wasm') })));
  assertRight(loaded);
  assert.equal(loaded.used?.backend, 'webgpu');
  assert.match(loaded.used?.why ?? '', /The plan portable for wasm failed: /);
  const { error, name } = await loadAndRun(put(tinyPackage({ backends: ['webgl'], code: spoil('webgl') })));
  assert.equal(name, 'PackageError');
  assert.match(error ?? '', /^No plan of the package runs here\. The plan portable for webgl failed: /);
});

test('given plans that need what the device has not, when loaded, then they are passed over, and the error says what is missing', async () => {
  await openPage();
  const { error } = await loadAndRun(put(tinyPackage({ backends: ['webgpu'], head: () => ({ features: ['warp-drive'] }) })));
  assert.match(error ?? '', /^No plan of the package runs here\. The plan portable for webgpu does not run here: the device has no warp-drive\.$/);
  const tight = await loadAndRun(put(tinyPackage({ backends: ['webgl'], head: () => ({ limits: { MAX_DRAW_BUFFERS: 1e6 } }) })));
  assert.match(tight.error ?? '', /the device has MAX_DRAW_BUFFERS \d+, and 1000000 is needed/);
  assert.match((await loadAndRun(put(tinyPackage({ backends: ['webgl'] })), `{ backend: 'wasm' }`)).error ?? '', /The package has no plan for wasm\./);
});

test('given damaged, missing and other files, when loaded, then each is one sentence, and nothing is tried in its place', async () => {
  await openPage();
  const spoiled = async (change: (files: Files) => void): Promise<string> => {
    const files = tinyPackage();
    change(files);
    const { error, name } = await loadAndRun(put(files));
    assert.equal(name, 'PackageError', error);
    return error ?? '';
  };
  const chunk = (files: Files): string => manifestOf(files).chunks[1]!.file;
  const rewrite = (files: Files, change: Record<string, unknown>): Files => files.set('manifest.json', Buffer.from(JSON.stringify({ ...manifestOf(files), ...change })));
  assert.match(await spoiled(files => damage(files, chunk(files))), /^weights-\w+\.bin of the package is not the file that was exported \(its SHA-256 differs\): copy the whole package again\.$/);
  assert.match(await spoiled(files => files.delete(chunk(files))), /^weights-\w+\.bin of the package is missing: http\S+ answered 404\.$/);
  assert.match(await spoiled(files => files.set(chunk(files), Buffer.alloc(3))), /has 3 bytes, the manifest says 108/);
  assert.match(await spoiled(files => files.set(chunk(files), Buffer.alloc(300))), /has more than 108 bytes, the manifest says 108/);
  assert.match(await spoiled(files => rewrite(files, { version: 2 })), /^The package has version 2 of its format, this runtime reads version 1: use the index\.js that was exported with it\.$/);
  assert.match(await spoiled(files => rewrite(files, { format: 'other' })), /^manifest\.json is not that of a package: its format is "other", not hone\.package\.$/);
  assert.match(await spoiled(files => rewrite(files, { chunks: 7 })), /^manifest\.json of the package is damaged: \.chunks: expected a list, found number\.$/);
  assert.match(await spoiled(files => files.delete('manifest.json')), /^manifest\.json of the package is missing: http\S+ answered 404\.$/);
  assert.match(await spoiled(files => files.set('manifest.json', Buffer.from('<html>'))), /^manifest\.json of the package is no JSON: is this the folder of a package\?$/);
});

test('given what the files are, when loaded, then it runs; an altered manifest or worker, and what names neither, are refused in a sentence', async () => {
  const digest = (content: Buffer): string => `sha256-${createHash('sha256').update(content).digest('base64')}`;
  const files = tinyPackage(), manifest = digest(files.get('manifest.json')!), scripts = ['worker.js', 'runtime.wasm'].map(file => [file, digest(readFileSync(path.join(dist, file)))]);
  const all = { 'manifest.json': manifest, ...Object.fromEntries(scripts) } as Record<string, string>, folder = put(files), other = digest(Buffer.from('other'));
  const said = async (integrity: unknown, of = folder): Promise<Loaded> => loadAndRun(of, `{ backend: 'wasm', integrity: ${JSON.stringify(integrity)} }`);
  const altered = put(new Map([...files, ['manifest.json', Buffer.from(JSON.stringify({ ...manifestOf(files), model: 'other' }))]]));
  await openPage();
  assertRight(await said(manifest));
  assertRight(await said(all));
  for (const integrity of [manifest, all]) assert.match((await said(integrity, altered)).error ?? '', /^manifest\.json of the package is not the file that was exported \(its integrity is sha256-\S+, the page expects sha256-\S+\): copy the whole package again\.$/);
  assert.match((await said({ ...all, 'worker.js': other })).error ?? '', /^worker\.js of the package could not be fetched, or is not the file that was exported: copy the whole package again\.$/);
  assert.equal((await said({ 'worker.js': all['worker.js'] })).error, 'The integrity that was given names no manifest.json: give integrity.json of the export.');
  assert.equal((await said('sha256-abc')).error, 'The integrity of manifest.json is "sha256-abc", expected sha256- and 44 letters: take what hone export prints.');
  await openPage({ host: 'insecure.test' });
  assertRight(await said(all));
  assert.match((await said(manifest, altered)).error ?? '', /^manifest\.json of the package could not be fetched, or is not the file that was exported/);
});

test('given inputs of a wrong name, type or length, when run, then each is one sentence', async () => {
  await openPage();
  const folder = put(tinyPackage()), run = async (inputs: string): Promise<string> => (await loadAndRun(folder, '{}', 1, inputs)).error ?? '';
  const ids = 'ids: new BigInt64Array(5)', numbers = 'x: new Float32Array(24)';
  assert.equal(await run(`{ y: new Float32Array(1) }`), 'The model has no input y; it takes x, ids.');
  assert.equal(await run(`{ ${numbers} }`), 'The input ids is missing: give a BigInt64Array of 5 elements.');
  assert.equal(await run(`{ x: new Float64Array(24), ${ids} }`), 'The input x is a Float64Array, expected a Float32Array (f32).');
  assert.equal(await run(`{ x: [1, 2], ${ids} }`), 'The input x is a Array, expected a Float32Array (f32).');
  assert.equal(await run(`{ x: new Float32Array(23), ${ids} }`), 'The input x has 23 elements, its shape [4, 6] has 24.');
  assert.equal(await run(`{ ${numbers}, ids: BigInt64Array.of(0n, 0n, 1n << 40n, 0n, 0n) }`), 'The input ids holds 1099511627776 at 2, and its kernels know whole numbers from -2147483648 to 2147483647.');
});

test('given a load that is aborted while a chunk comes in, when awaited, then it rejects, and nothing more is asked for', async () => {
  await openPage();
  const files = tinyPackage(), folder = put(files), [first, second] = manifestOf(files).chunks;
  server.held.set(`${folder}${first!.file}`, new Promise(() => {}));
  const said = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const over = new AbortController();
    const loading = load('${folder}', { signal: over.signal, onProgress: ({ bytes }) => { if (bytes > 0) over.abort(); } });
    return loading.then(() => 'loaded', error => error.name);
  })`);
  assert.equal(said, 'AbortError');
  assert.ok(!server.asked.includes(`${folder}${second!.file}`));
});

test('given progress that is watched, when loaded, then it never falls, is whole only when all is ready, and counts every byte', async () => {
  await openPage();
  const files = tinyPackage({ backends: ['webgl'] }), manifest = manifestOf(files), folder = put(files);
  const seen = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const seen = [];
    (await load('${folder}', { onProgress: progress => seen.push(progress) })).dispose();
    return seen;
  })`) as { bytes: number; total: number; stage: string }[];
  const bytes = [...manifest.chunks, manifest.plans[0]!.plan, manifest.plans[0]!.kernels].reduce((sum, asset) => sum + asset.bytes, 0);
  assert.ok(seen.every(({ bytes: now, total }, i) => now / total >= (seen[i - 1]?.bytes ?? 0) / (seen[i - 1]?.total ?? 1)));
  assert.ok(seen.every(({ bytes: now, stage }) => stage === 'ready' || now < bytes));
  assert.deepEqual(seen.at(-1), { bytes, total: bytes, stage: 'ready' });
});

test('given a model that was disposed, when run, then it says so', async () => {
  await openPage();
  const said = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const model = await load('${put(tinyPackage({ backends: ['webgpu'] }))}');
    model.dispose();
    return model.run({ x: new Float32Array(24), ids: new BigInt64Array(5) }).catch(error => error.message);
  })`);
  assert.equal(said, 'The model was disposed.');
});

test('given the caller\'s own GPUDevice, when loaded, run and disposed, then WebGPU runs on it, and it lives on', async () => {
  await openPage();
  const said = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const model = await load('${put(tinyPackage())}', { device });
    const { used: { backend } } = model;
    model.dispose();
    await Promise.resolve();
    device.pushErrorScope('validation');
    device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
    return [backend, await device.popErrorScope(), await Promise.race([device.lost.then(() => 'lost'), device.queue.onSubmittedWorkDone().then(() => 'alive')])].join(' ');
  })`);
  assert.equal(said, 'webgpu  alive');
});

test('given inputs in the caller\'s GPUBuffers, when run several times, then outputs are right as arrays and as buffers that are the caller\'s', async () => {
  await openPage();
  const loaded = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const model = await load('${put(tinyPackage())}', { device });
    const x = bufferOf(Float32Array.of(${[...x]})), ids = bufferOf(Int32Array.of(1, 2, -3, 4, 5));
    const [first, on_gpu, mixed] = await Promise.all([model.run({ x, ids }), model.run({ x, ids }, { outputs: 'gpu' }), model.run({ x, ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) })]);
    model.dispose();
    const second = { y: new Float32Array(await read(on_gpu.y)), twice: new Int32Array(await read(on_gpu.twice)) };
    return { outputs: [first, second, mixed].map(({ y, twice }) => ({ y: [...y], twice: [...twice].map(Number) })) };
    function bufferOf(array) {
      const buffer = device.createBuffer({ size: array.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, array);
      return buffer;
    }
    async function read(buffer) {
      const into = device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST }), encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, into, 0, buffer.size);
      device.queue.submit([encoder.finish()]);
      await into.mapAsync(GPUMapMode.READ);
      return into.getMappedRange();
    }
  }).catch(error => ({ error: error.message }))`) as Loaded;
  assertRight(loaded, 3);
});

test('given GPUBuffers that do not fit, when run, then each is one sentence, and the model runs on', async () => {
  await openPage();
  const said = await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const requested = async () => (await navigator.gpu.requestAdapter()).requestDevice(), device = await requested(), other = await requested();
    const model = await load('${put(tinyPackage())}', { device }), without = await load('${put(tinyPackage({ backends: ['webgpu'] }))}');
    const x = new Float32Array(24), ids = new BigInt64Array(5), storage = GPUBufferUsage.STORAGE;
    const said = async run => run().then(() => 'ran', error => error.name + ': ' + error.message);
    return [
      await said(() => model.run({ ids, x: device.createBuffer({ size: 80, usage: storage }) })),
      await said(() => model.run({ ids, x: device.createBuffer({ size: 96, usage: GPUBufferUsage.COPY_SRC }) })),
      await said(() => model.run({ ids, x: other.createBuffer({ size: 96, usage: storage }) })),
      await said(() => without.run({ ids, x }, { outputs: 'gpu' })),
      await said(() => model.run({ ids, x })),
      model.used.backend,
    ];
  }).catch(error => [error.message])`) as string[];
  assert.equal(said[0], 'PackageError: The input x is a GPUBuffer of 80 bytes, its shape [4, 6] has 96, four for each element.');
  assert.equal(said[1], 'PackageError: The input x is a GPUBuffer without GPUBufferUsage.STORAGE: make it with STORAGE and COPY_SRC.');
  assert.match(said[2] ?? '', /^PackageError: WebGPU does not take the GPUBuffers of this run: /);
  assert.match(said[3] ?? '', /^PackageError: GPUBuffers go in and out of a model that was loaded with the device they belong to/);
  assert.deepEqual(said.slice(4), ['ran', 'webgpu']);
});

test('given a GPU process that ends in the middle of a session, when run again, then another plan runs, and why says so', async () => {
  await openPage();
  await chromium.evaluate(`import('/app/runtime/index.js').then(async ({ load }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    globalThis.model = await load('${put(tinyPackage({ backends: ['webgpu', 'wasm'] }))}', { device });
    globalThis.first_used = model.used.backend;
  })`);
  await chromium.killGpuProcess();
  const inputs = `{ x: Float32Array.of(${[...x]}), ids: BigInt64Array.of(1n, 2n, -3n, 4n, 5n) }`;
  const loaded = await chromium.evaluate(`Promise.all([model.run(${inputs}), model.run(${inputs})]).then(all => ({
    used: model.used, outputs: all.map(({ y, twice }) => ({ y: [...y], twice: [...twice].map(Number) })),
  }), error => ({ error: error.message }))`) as Loaded;
  assertRight(loaded, 2);
  assert.equal(await chromium.evaluate('first_used'), 'webgpu');
  assert.equal(loaded.used?.backend, 'wasm');
  assert.match(loaded.used?.why ?? '', /The plan portable for webgpu failed in the middle: .*lost/);
});

function damage(files: Files, file: string): void {
  const content = Buffer.from(files.get(file)!);
  content[content.length - 1]! ^= 1;
  files.set(file, content);
}

test('given a package for several sizes, when one is wanted, then its manifest is read; one that lies elsewhere, is missing or was not made is told in a sentence', async () => {
  await openPage();
  const files = tinyPackage({ backends: ['wasm'] }), manifest = manifestOf(files);
  const put2 = (file: string): string => {
    const sizes = [{ dims: { batch: 1 }, file: 'manifest.json' }, { dims: { batch: 2 }, file }];
    files.set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, dims: { batch: 1 }, sizes })));
    return put(files);
  };
  files.set('manifest-1.json', Buffer.from(JSON.stringify({ ...manifest, dims: { batch: 2 }, plans: manifest.plans.map(head => ({ ...head, made_for: 'two' })) })));
  const folder = put2('manifest-1.json');
  assert.equal((await loadAndRun(folder)).used?.plan, 'portable');
  assert.equal((await loadAndRun(folder, '{ dims: { batch: 2 } }')).used?.plan, 'two');
  assert.equal((await loadAndRun(folder, '{ dims: { batch: 3 } }')).error, 'The package was not made for batch=3. It has batch=1; batch=2.');
  assert.match((await loadAndRun(put2('../elsewhere.json'), '{ dims: { batch: 2 } }')).error ?? '', /^manifest\.json of the package is damaged: it names the file "\.\.\/elsewhere\.json", which cannot be beside it/);
  assert.equal((await loadAndRun(put2('manifest-1.json'), `{ dims: { batch: 2 }, integrity: 'sha256-${createHash('sha256').update(files.get('manifest.json')!).digest('base64')}' }`)).error, 'The integrity that was given names no manifest-1.json: give integrity.json of the export.');
  files.set('manifest-2.json', Buffer.from(JSON.stringify({ ...manifest, dims: { batch: 5 } })));
  assert.match((await loadAndRun(put2('manifest-2.json'), '{ dims: { batch: 2 } }')).error ?? '', /^manifest-2\.json of the package is damaged: it is for batch=5, and manifest\.json names it for batch=2/);
  assert.match((await loadAndRun(put2('manifest-7.json'), '{ dims: { batch: 2 } }')).error ?? '', /^manifest-7\.json of the package is missing/);
});
