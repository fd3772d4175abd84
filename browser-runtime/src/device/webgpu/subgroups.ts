// Whether kernels may join values over the lanes of subgroups, and how many. Where subgroups have one size it is that; where they have several, a kernel
// may ask for one of them, if the browser has subgroup-size-control; else there is no exchange. WGSL promises neither one size nor that lanes follow the
// invocations of a workgroup, so both are measured: on every device known they do, but a kernel that relies on it elsewhere would be wrong.

interface Trial { readonly threads: readonly [number, number, number]; readonly differences: readonly number[] }

const workgroups = 4;

// asked: for subgroups of that size, which WGSL gives to workgroups of whole ones along x.
const code = ({ threads, differences }: Trial, size: number, asked: boolean): string => `
enable subgroups;
${asked ? 'enable subgroup_size_control;' : ''}
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(${threads.join(', ')}) ${asked ? `@subgroup_size(${size})` : ''} fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32) {
  var right = size == ${size}u && lane == i % ${size}u;
${differences.map(d => `  right &= subgroupShuffleXor(i, ${d}u) == (i ^ ${d}u);`).join('\n')}
  out[group.x * ${countOf(threads)}u + i] = u32(right);
}`;

const countOf = (threads: readonly [number, number, number]): number => threads[0] * threads[1] * threads[2];

// Powers of 2 below `size`: what the ids of two lanes may differ by.
export function differencesBelow(size: number): number[] {
  const all: number[] = [];
  for (let d = 1; d < size; d *= 2) all.push(d);
  return all;
}

// Workgroups of lines and of boxes, full subgroups and half ones.
function trials(size: number, limits: GPUSupportedLimits): Trial[] {
  const all = differencesBelow(size), most = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  const shapes: Trial[] = [
    { threads: [most, 1, 1], differences: all },
    { threads: [size, 3, 1], differences: all },
    { threads: [2, size, 2], differences: all },
    { threads: [size / 2, 3, 1], differences: differencesBelow(size / 2) },
  ];
  return shapes.filter(({ threads }) => countOf(threads) <= limits.maxComputeInvocationsPerWorkgroup);
}

// The size that all subgroups have, a power of 2, where lane l of a subgroup is the invocation l after a multiple of the size. 0: no kernel may
// rely on subgroups here.
export async function linearSubgroupSize(info: GPUAdapterInfo, device: GPUDevice): Promise<number> {
  const size: unknown = Reflect.get(info, 'subgroupMinSize');
  if (!device.features.has('subgroups') || typeof size !== 'number' || size !== Reflect.get(info, 'subgroupMaxSize')) return 0;
  if (size < 2 || (size & (size - 1)) !== 0) return 0;
  for (const trial of trials(size, device.limits)) if (!await isRight(device, trial, size)) return 0;
  return size;
}

export interface Subgroups {
  linear: number;                        // linearSubgroupSize
  asked: readonly number[];              // the sizes that a kernel may ask for, ascending, where there is none
}

export async function subgroupsOf(info: GPUAdapterInfo, device: GPUDevice): Promise<Subgroups> {
  const linear = await linearSubgroupSize(info, device), asked: number[] = [];
  for (const size of linear > 0 ? [] : sizesAskable(info, device)) if (await isAskable(device, size)) asked.push(size);
  return { linear, asked };
}

// What the adapter says, before it is tried: powers of 2 from the smallest to the largest.
export function sizesAskable(info: GPUAdapterInfo, device: GPUDevice): number[] {
  const min: unknown = Reflect.get(info, 'subgroupMinSize'), max: unknown = Reflect.get(info, 'subgroupMaxSize');
  if (!device.features.has('subgroups') || !(device.features as ReadonlySet<string>).has('subgroup-size-control')) return [];
  if (typeof min !== 'number' || typeof max !== 'number') return [];
  return [2, 4, 8, 16, 32, 64, 128].filter(size => size >= min && size <= max);
}

async function isAskable(device: GPUDevice, size: number): Promise<boolean> {
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = device.limits, most = Math.min(maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX);
  for (const threads of [size, 3 * size, most].filter(count => count <= most && count % size === 0)) {
    if (!await isRight(device, { threads: [threads, 1, 1], differences: differencesBelow(size) }, size, true)) return false;
  }
  return true;
}

async function isRight(device: GPUDevice, trial: Trial, size: number, asked = false): Promise<boolean> {
  const bytes = workgroups * countOf(trial.threads) * 4;
  const out = device.createBuffer({ size: bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
  const readback = device.createBuffer({ size: bytes, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  device.pushErrorScope('validation');
  try {
    const module = device.createShaderModule({ code: code(trial, size, asked) });
    const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: out } }] });
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindings);
    pass.dispatchWorkgroups(workgroups);
    pass.end();
    encoder.copyBufferToBuffer(out, 0, readback, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await readback.mapAsync(GPUMapMode.READ);
    return new Uint32Array(readback.getMappedRange()).every(right => right === 1);
  } catch {
    return false;                        // a device that takes no such kernel has no subgroups for us
  } finally {
    await device.popErrorScope();
    out.destroy();
    readback.destroy();
  }
}
