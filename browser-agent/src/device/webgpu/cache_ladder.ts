// Reads of working sets that grow, by which the size of a GPU's last cache is told (core/cache_size.ts), and how fast its memory is: every thread reads vectors that lie next to
// its neighbours', all threads together the whole set, again and again.
import { climbSets, untold, workingSets, type GpuMemory } from '../../core/cache_size.ts';
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
    const readNs = async (bytes: number, rounds: number): Promise<number> => {
      device.queue.writeBuffer(walk, 0, new Uint32Array([bytes / vector_bytes, rounds]));
      return saidNs(await clock.read({ encodePass: pass => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindings);
        pass.dispatchWorkgroups(workgroups);
      } }));
    };
    return await climbSets({ sets, round_bytes: threads * workgroups * vector_bytes, least_ns: Math.max(sample_ns_min, steps_min * clock.quantum_ns), readNs, nowMs: () => performance.now() });
  } finally {
    for (const buffer of [data, out, walk]) buffer.destroy();
  }
}
