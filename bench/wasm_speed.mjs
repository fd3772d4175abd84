// scripts/bench wasm_speed [WRITE_WASM]: the golden product of two matrices of 512² in Node, one thread: plain, relaxed, shared memory,
// in turns. WRITE_WASM: the program that compiles them, that of the release build unless given. Wanted: 0.9 of what the same instructions
// reach natively.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const WARM_UP = 8;
const ROUNDS = 40;
const PAGE_BYTES = 65536;
const FLOPS = 2 * 512 ** 3;
const decode = text => new Uint8Array(Buffer.from(text, 'base64'));

async function prepare(kernel) {
  const sizes = kernel.args.map((a, i) => Math.max(...kernel.launches.flatMap(l => l.bindings.filter(b => !b.temp && b.position === i).map(b => b.bytes))));
  const places = [];
  let end = PAGE_BYTES;
  for (const size of sizes) {
    places.push(end);
    end += Math.ceil(size / 64) * 64;
  }
  const pages = Math.ceil(end / PAGE_BYTES);
  const memory = new WebAssembly.Memory(kernel.shared ? { initial: pages, maximum: pages, shared: true } : { initial: pages });
  kernel.args.forEach((a, i) => new Uint8Array(memory.buffer).set(decode(a.data), places[i]));
  const launch = kernel.launches[0];
  new Uint32Array(memory.buffer).set(launch.bindings.map(b => places[b.position]), 16);
  const { instance } = await WebAssembly.instantiate(decode(launch.code), { env: { memory } });
  return { kernel, times: [], run: () => instance.exports.main(64, 0, launch.extent) };
}

function compiled(writer) {
  const folder = mkdtempSync(join(tmpdir(), 'hone-wasm-speed-'));
  try {
    execFileSync(writer, [join(folder, 'kernels.json'), 'core_panels', 'matmul:512x512x512']);
    return JSON.parse(readFileSync(join(folder, 'kernels.json'), 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

setFlagsFromString('--experimental-wasm-relaxed-simd'); // until Node 21
const all = await Promise.all(compiled(process.argv[2] ?? 'build/release/tests/wasm/write_wasm').map(prepare));
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  for (const one of all) {
    const begin = performance.now();
    one.run();
    if (round >= WARM_UP) one.times.push(performance.now() - begin);
  }
}
for (const { kernel, times } of all) {
  times.sort((a, b) => a - b);
  const rate = ms => (FLOPS / ms / 1e6).toFixed(1);
  console.log(`${kernel.name}: median ${rate(times[times.length >> 1])}, best ${rate(times[0])} GFLOP/s`);
}
