// What a package holds in memory at most: GPU buffers, textures and WebAssembly memory that were made and not given back, and arrays of the page's that are
// of use. Needs gc() (--js-flags=--expose-gc): whatever is of no use is collected before arrays are counted, at each write, submit and message to a worker.
const ARRAY_BYTES_MIN = 4096;   // of those that are counted

export function watchMemory() {
  if (typeof gc !== 'function') throw new Error('this browser has no gc(): it is started with --js-flags=--expose-gc');
  const arrays = watchArrays(), device = { gpu: 0, worker: 0 };
  let peak_bytes = 0;
  const look = () => { peak_bytes = Math.max(peak_bytes, device.gpu + device.worker + arrays.bytes()); };
  watchBuffers(bytes => { device.gpu += bytes; });
  watchWorkers(bytes => { device.worker = bytes; });
  for (const [type, names] of [[GPUQueue, ['writeBuffer', 'submit']], [Worker, ['postMessage']]])
    for (const name of names) behind(type.prototype, name, look);
  return { take: () => { const peak = peak_bytes; peak_bytes = 0; return peak; } };
}

// The method, and then the work with what it gave.
function behind(owner, name, work) {
  const plain = owner[name];
  owner[name] = function (...args) {
    const result = plain.apply(this, args);
    work(result, this, args);
    return result;
  };
}

function watchBuffers(add) {
  const live = new WeakMap();
  behind(GPUDevice.prototype, 'createBuffer', (buffer, _, [{ size }]) => {
    live.set(buffer, size);
    add(size);
  });
  behind(GPUBuffer.prototype, 'destroy', (_, buffer) => {
    add(-(live.get(buffer) ?? 0));
    live.delete(buffer);
  });
}

function watchArrays() {
  const all = new Set(), note = ({ buffer, byteLength }) => { if (byteLength >= ARRAY_BYTES_MIN) all.add(new WeakRef(buffer)); };
  for (const name of ['Uint8Array', 'Uint16Array', 'Uint32Array', 'Float32Array']) {
    const plain = globalThis[name];
    globalThis[name] = new Proxy(plain, {
      construct(target, args, given) {
        const made = Reflect.construct(target, args, given === globalThis[name] ? target : given);
        if (made.buffer instanceof ArrayBuffer && !(args[0] instanceof ArrayBuffer)) note(made);   // shared memory is the worker's, which tells of it
        return made;
      },
    });
  }
  behind(Object.getPrototypeOf(Uint8Array.prototype), 'slice', note);
  behind(ArrayBuffer.prototype, 'slice', buffer => note({ buffer, byteLength: buffer.byteLength }));
  const kept = Response.prototype.arrayBuffer;
  Response.prototype.arrayBuffer = async function () {
    const buffer = await kept.call(this);
    note({ buffer, byteLength: buffer.byteLength });
    return buffer;
  };
  return { bytes: () => countOf(all) };
}

// Transferred ones have none any more.
function countOf(arrays) {
  gc();
  const live = new Set();
  for (const array of arrays) {
    const buffer = array.deref();
    if (buffer === undefined) arrays.delete(array);
    else live.add(buffer);
  }
  return [...live].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

// The package's worker tells of its own.
function watchWorkers(tell) {
  const Plain = Worker, watch = new URL('./watch_memory_worker.js', import.meta.url).href;
  globalThis.Worker = class extends Plain {
    constructor(url, options) {
      super(URL.createObjectURL(new Blob([watch, url].map(from => `import ${JSON.stringify(String(from))};\n`), { type: 'text/javascript' })), options);
      this.addEventListener('message', ({ data }) => { if (data.memory_bytes !== undefined) tell(data.memory_bytes); });
    }
  };
}
