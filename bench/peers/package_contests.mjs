// What scripts/bench package compares: the backends of a package, each with its rivals. All have their inputs up and their outputs back in each run.
const isolated = '', plain = 'plain';   // pages: with threads, and without

// threads: of WebAssembly's group of several. The first peer's output is the reference.
export function contestsOf(threads) {
  const several = `wasm_${threads}`;
  return {
    webgpu: { own: 'hone_webgpu', rivals: ['ort_webgpu', 'tfjs_webgpu'], text: 'WebGPU against the faster of ONNX Runtime Web and TensorFlow.js' },
    webgl: { own: 'hone_webgl', rivals: ['tfjs_webgl'], text: 'WebGL against TensorFlow.js' },
    wasm_1: { own: 'hone_wasm_1', rivals: ['ort_wasm_1', 'tfjs_wasm_1', 'litert_wasm_1'], text: 'WebAssembly, 1 thread, against the fastest' },
    ...(threads > 1 && { [several]: { own: `hone_${several}`, rivals: [`ort_${several}`, `tfjs_${several}`, `litert_${several}`],
      text: `WebAssembly, ${threads} threads, against the fastest` } }),
  };
}

export const REFERENCE = 'ort_wasm_1';

// Each peer as turns.mjs has them.
export function peersOf(threads) {
  const wasm = (count, at) => ({
    [`ort_wasm_${count}`]: { module: 'ort', options: { provider: 'wasm', threads: count }, at },
    [`tfjs_wasm_${count}`]: { module: 'tfjs', options: { backend: 'wasm', threads: count }, at },
    [`litert_wasm_${count}`]: { module: 'litert', options: { threads: count }, at },
    [`hone_wasm_${count}`]: { module: 'package', options: { backend: 'wasm', threads: count }, at },
  });
  return {
    ...wasm(1, plain),
    ...(threads > 1 && wasm(threads, isolated)),
    hone_webgpu: { module: 'package', options: { backend: 'webgpu' } },
    ort_webgpu: { module: 'ort', options: { provider: 'webgpu' } },
    tfjs_webgpu: { module: 'tfjs', options: { backend: 'webgpu' } },
    hone_webgl: { module: 'package', options: { backend: 'webgl' } },
    tfjs_webgl: { module: 'tfjs', options: { backend: 'webgl' } },
  };
}

// By browser: the backends that run where none are asked for, and the least mean of each.
export const WANTED = {
  chromium: { backends: ['webgpu', 'webgl', 'wasm'], least: { webgpu: 10, webgl: 3, wasm: 1.5 } },
  firefox: { backends: ['webgpu'], least: { webgpu: 3, webgl: 3, wasm: 1.5 } },
};

export const backendOf = group => group.split('_')[0];
