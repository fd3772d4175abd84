// In a package's worker: tells whenever it changes how much memory its textures, buffers and WebAssembly memories have, `memory_bytes`. Of a WebAssembly
// memory without the 16 MiB at each end, which nobody touches (browser-runtime/src/device/wasm/kernel_memory.ts).
const REACH_BYTES = 2 * 16 * 2 ** 20, sizes = new Map(), gl = WebGL2RenderingContext.prototype;
let bound = {};

function set(object, bytes) {
  if (bytes === undefined) sizes.delete(object);
  else sizes.set(object, bytes);
  postMessage({ memory_bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) });
}

function before(owner, name, work) {
  const plain = owner[name];
  owner[name] = function (...args) {
    work.apply(this, args);
    return plain.apply(this, args);
  };
}

const texel = format => (format === gl.RGBA16F ? 8 : format === gl.RGBA8 ? 4 : 16);
for (const name of ['bindTexture', 'bindBuffer']) before(gl, name, (target, object) => { bound[target] = object; });
before(gl, 'texStorage2D', (target, levels, format, width, height) => set(bound[target], width * height * texel(format)));
before(gl, 'texStorage3D', (target, levels, format, width, height, layers) => set(bound[target], width * height * layers * texel(format)));
before(gl, 'bufferData', (target, bytes) => set(bound[target], bytes));
for (const name of ['deleteTexture', 'deleteBuffer']) before(gl, name, object => set(object));

const { Memory } = WebAssembly, of = memory => Math.max(0, memory.buffer.byteLength - REACH_BYTES);
WebAssembly.Memory = function (wanted) {
  const memory = new Memory(wanted);
  set(memory, of(memory));
  return memory;
};
before(Memory.prototype, 'grow', function (pages) { set(this, of(this) + Math.max(0, pages * 65536 - Math.max(0, REACH_BYTES - this.buffer.byteLength))); });
