// run_wasm.mjs FILE: instantiates the modules of every kernel in FILE (corpus.h), runs them and compares. Each buffer stands between
// poisoned borders, aligned to its elements and no more, and the last one so near to the end of memory as its reads allow; the iterations of a launch run in several ranges, the last one first.
import { readFileSync } from 'node:fs';

const BORDER_BYTES = 64;
const POISON = 0xa5;
const PAGE_BYTES = 65536;
const PAGES_MAX = 65536;
const VIEWS = { f32: Float32Array, f64: Float64Array, i8: Int8Array, u8: Uint8Array, bool: Uint8Array, i16: Int16Array,
  u16: Uint16Array, i32: Int32Array, u32: Uint32Array, index: Int32Array, i64: BigInt64Array, u64: BigUint64Array };

// C's pow: JavaScript's 1 ** NaN, and ±1 to an infinite power, are NaN.
const pow = (x, y) => x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
const libm = Object.fromEntries(['exp', 'log', 'tanh', 'sin', 'cos'].flatMap(f => [[f, Math[f]], [`${f}f`, Math[f]]]).concat([['pow', pow], ['powf', pow]]));
const decode = text => new Uint8Array(Buffer.from(text, 'base64'));

const POINTERS = 64; // where `args` lies

// Places every buffer of the kernel in one memory, which ends where the last reads may.
class Heap {
  constructor(kernel) {
    const spaces = [...kernel.args.map(a => ({ size: decode(a.data).length, step: VIEWS[a.type].BYTES_PER_ELEMENT })),
      ...kernel.temps.map(size => ({ size, step: 8 }))];
    for (const b of kernel.launches.flatMap(l => l.bindings)) {
      const space = spaces[b.temp ? kernel.args.length + b.position : b.position];
      space.size = Math.max(space.size, b.bytes);
      space.reach = Math.max(space.reach ?? 0, b.reach);
    }
    const reach = Math.max(0, ...spaces.map(s => s.reach ?? 0));
    let end = POINTERS + 4 * (spaces.length + 1);
    const place = (size, step) => {
      const begin = Math.ceil((Math.max(end, reach) + BORDER_BYTES) / 16) * 16 + step;
      end = begin + size + BORDER_BYTES;
      return { begin, size };
    };
    const scratch = place(Math.max(...kernel.launches.map(l => l.scratch_bytes)), 0);
    this.used = [{ begin: POINTERS, size: 4 * (spaces.length + 1) }, scratch];
    this.buffers = spaces.map((space, i) => place(space.size, space.step * (i % 4)));
    end += Math.max(0, reach - BORDER_BYTES);
    const pages = Math.ceil(end / PAGE_BYTES), spare = Math.floor((pages * PAGE_BYTES - end) / 16) * 16;
    for (const one of [scratch, ...this.buffers]) one.begin += spare;
    this.scratch = scratch.begin;
    this.used.push(...this.buffers);
    this.memory = new WebAssembly.Memory(kernel.shared ? { initial: pages, maximum: PAGES_MAX, shared: true } : { initial: pages });
    this.bytes = new Uint8Array(this.memory.buffer).fill(POISON);
    kernel.args.forEach((a, i) => a.writes || this.bytes.set(decode(a.data), this.buffers[i].begin));
  }
}

const differs = (found, expected, kernel) => {
  if (Number.isNaN(expected)) return !kernel.any_for_nan && !Number.isNaN(found);
  if (typeof expected === 'bigint') return found !== expected;
  if (found === expected) return kernel.sign_of_zero && !Object.is(found, expected);
  return !(Math.abs(found - expected) <= kernel.absolute + kernel.relative * Math.abs(expected));
};

function compareArg(kernel, heap, i) {
  const arg = kernel.args[i], data = decode(arg.data), View = VIEWS[arg.type];
  const { begin } = heap.buffers[i];
  const found = new View(heap.bytes.slice(begin, begin + data.length).buffer), expected = new View(data.buffer);
  for (let k = 0; k < expected.length; k++)
    if (differs(found[k], expected[k], kernel)) return `argument ${i} element ${k} is ${found[k]}, expected ${expected[k]}`;
  return '';
}

function broken(heap) {
  const inside = (at) => heap.used.some(({ begin, size }) => at >= begin && at < begin + size);
  for (let at = 0; at < heap.bytes.length; at++)
    if (heap.bytes[at] !== POISON && !inside(at)) return `the byte at ${at} lies in no buffer and was written`;
  return '';
}

async function run(kernel) {
  const heap = new Heap(kernel);
  for (const launch of kernel.launches) {
    const { instance } = await WebAssembly.instantiate(decode(launch.code), { env: { memory: heap.memory, ...libm } });
    const places = launch.bindings.map(b => heap.buffers[b.temp ? kernel.args.length + b.position : b.position].begin);
    if (launch.scratch_bytes) places.push(heap.scratch);
    new Uint32Array(heap.memory.buffer).set(places, POINTERS / 4);
    const cuts = [0, Math.floor(launch.extent / 3), Math.ceil(launch.extent / 2), launch.extent];
    for (let part = cuts.length - 1; part > 0; part--) instance.exports.main(POINTERS, cuts[part - 1], cuts[part]);
  }
  for (let i = 0; i < kernel.args.length; i++) {
    const found = compareArg(kernel, heap, i);
    if (found) return found;
  }
  return broken(heap);
}

const kernels = JSON.parse(readFileSync(process.argv[2], 'utf8'));
let failed = 0;
for (const kernel of kernels) {
  const found = await run(kernel).catch(error => `${error}`);
  if (found) console.error(`${kernel.name}: ${found}`);
  failed += found ? 1 : 0;
}
console.log(`${kernels.length - failed} of ${kernels.length} kernels are right`);
process.exitCode = failed || kernels.length === 0 ? 1 : 0;
