// The slowest kernel of a plan to compile, each on its own, with nothing else to do. Drivers keep what they compiled, so the texts differ by a comment
// from those of the package. What a driver puts off until the first draw or dispatch is not counted.
import { compile, openDevice } from './device.js';
import { programOf } from './gl_program.js';

export function init() {}

const unlike = text => `${text}\n// ${Math.random()}\n`;

async function timeWebGpu(texts) {
  await openDevice();
  return inTurn(texts, text => compile(unlike(text)));
}

async function timeWebGl(texts) {
  const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  gl.getExtension('EXT_color_buffer_float');
  return inTurn(texts, text => gl.deleteProgram(programOf(gl, '#version 300 es\nvoid main() { gl_Position = vec4(0); }', unlike(text))));
}

// The longest of the steps, one after the other, in ms.
async function inTurn(all, step) {
  let longest = 0;
  for (const one of all) {
    const started = performance.now();
    await step(one);
    longest = Math.max(longest, performance.now() - started);
  }
  return longest;
}

const text = bytes => new TextDecoder().decode(bytes);
const TIMES = {
  webgpu: codes => timeWebGpu(codes.map(text)),
  webgl: codes => timeWebGl(codes.map(text)),
  wasm: codes => inTurn(codes, code => WebAssembly.compile(code)),
};

// plan: the path of its file; code: that of its kernels.
export async function slowest(backend, plan, code) {
  const [{ kernels }, bytes] = await Promise.all([fetch(plan).then(answer => answer.json()), fetch(code).then(answer => answer.arrayBuffer())]);
  return TIMES[backend](kernels.map(({ offset, bytes: size }) => new Uint8Array(bytes, offset, size)));
}
