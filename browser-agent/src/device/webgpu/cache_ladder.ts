// Reads of working sets that grow, by which the size of a GPU's last cache is told (core/cache_size.ts), and how fast its memory is: every thread reads vectors that lie next to
// its neighbours', all threads together the whole set, again and again.
import { cacheBytes, workingSets } from '../../core/cache_size.ts';
import { runsOnProcessor } from '../../core/calm.ts';
import { saidNs } from '../../core/reading.ts';
import type { Fingerprint } from '../../generated/protocol.ts';
import { processorCacheBytes } from '../processor_cache.ts';
import type { GpuClock } from './clock.ts';

const bytes_max = 256 << 20;
const threads = 256;
const workgroups = 256;
const vector_bytes = 16;
const sample_ns_min = 1e6;
const steps_min = 10;            // of the clock
const grow = 4;
const time_ms_max = 100;

const code = `
struct Walk { vectors: u32, reads: u32 }
@group(0) @binding(0) var<storage, read> data: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read> walk: Walk;
@compute @workgroup_size(${threads}) fn main(@builtin(global_invocation_id) id: vec3u) {
  var sum = vec4u();
  var at = id.x & (walk.vectors - 1u);
  for (var i = 0u; i < walk.reads; i++) {
    sum += data[at];
    at = (at + ${threads * workgroups}u) & (walk.vectors - 1u);
  }
  out[id.x] = sum.x + sum.y + sum.z + sum.w;
}`;

// 0 where it is not told.
export interface GpuMemory {
  cache_bytes: number;
  gb_s: number;                  // of reads that no cache serves
}

const untold: GpuMemory = { cache_bytes: 0, gb_s: 0 };

// The memory behind a device's kernels: the processor's, where they run on it.
export async function memoryBehind(fingerprint: Fingerprint, device: GPUDevice, clock: GpuClock): Promise<GpuMemory> {
  return runsOnProcessor(fingerprint) ? { ...untold, cache_bytes: processorCacheBytes() } : gpuMemory(device, clock);
}

// Takes up to 100 ms, and of the device's memory as much as one binding may have, 256 MiB at most; it is given back.
export async function gpuMemory(device: GPUDevice, clock: GpuClock): Promise<GpuMemory> {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const sets = workingSets(Math.min(bytes_max, maxStorageBufferBindingSize, maxBufferSize)), largest = sets.at(-1) ?? 0;
  device.pushErrorScope('out-of-memory');
  const data = device.createBuffer({ size: Math.max(largest, vector_bytes), usage: GPUBufferUsage.STORAGE });
  const out = device.createBuffer({ size: threads * workgroups * 4, usage: GPUBufferUsage.STORAGE });
  const walk = device.createBuffer({ size: 8, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST });
  try {
    if (await device.popErrorScope() !== null) return untold;
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module: device.createShaderModule({ code }), entryPoint: 'main' } });
    const entries = [data, out, walk].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    const readNs = async (bytes: number, reads: number): Promise<number> => {
      device.queue.writeBuffer(walk, 0, new Uint32Array([bytes / vector_bytes, reads]));
      return saidNs(await clock.read({ encodePass: pass => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindings);
        pass.dispatchWorkgroups(workgroups);
      } }));
    };
    return await climb(sets, readNs, Math.max(sample_ns_min, steps_min * clock.quantum_ns));
  } finally {
    for (const buffer of [data, out, walk]) buffer.destroy();
  }
}

// From the largest set on: its reads are the slowest, and say how many of them are long enough. A set is read as often at least as it has vectors.
async function climb(sets: readonly number[], readNs: (bytes: number, reads: number) => Promise<number>, least_ns: number): Promise<GpuMemory> {
  const began_ms = performance.now(), largest = sets.at(-1) ?? 0, readings: { bytes: number; ns: number }[] = [];
  let reads = Math.max(1, largest / vector_bytes / threads / workgroups);
  await readNs(largest, reads);    // drivers compile in the first one, and give memory
  while (await readNs(largest, reads) < least_ns && performance.now() - began_ms < time_ms_max / 2) reads *= grow;
  for (const bytes of [...sets].reverse()) {
    await readNs(bytes, Math.max(1, bytes / vector_bytes / threads / workgroups));
    readings.unshift({ bytes, ns: await readNs(bytes, reads) });
    if (performance.now() - began_ms > time_ms_max) break;
  }
  const cache_bytes = cacheBytes(readings), slowest = readings.at(-1);
  if (cache_bytes === 0 || slowest === undefined) return untold;
  return { cache_bytes, gb_s: reads * threads * workgroups * vector_bytes / slowest.ns };
}
