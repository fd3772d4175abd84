// Between a caller's buffers, row-major, and those of a plan on WebGPU: by copy where a plan holds a tensor row-major, too; else by a small kernel.
import type { PlanPort } from '../generated/manifest.ts';

// A tensor of elements of four bytes as it lies in a plan's buffer.
export interface GpuPort {
  readonly shape: readonly number[];
  readonly dims: PlanPort['dims'];             // empty: row-major
  readonly bytes: number;          // in the plan's buffer
}

export type Direction = 'pack' | 'unpack';

const threads = 64, groups_max = 65_535;

// What the caller's buffer must be usable for.
export function usageOf({ dims }: GpuPort, direction: Direction): 'STORAGE' | 'COPY_SRC' | 'COPY_DST' {
  return dims.length > 0 ? 'STORAGE' : direction === 'pack' ? 'COPY_SRC' : 'COPY_DST';
}

export const rowMajorBytes = ({ shape }: Pick<GpuPort, 'shape'>): number => 4 * shape.reduce((a, b) => a * b, 1);

export class GpuPorts {
  readonly #pipelines = new Map<string, GPUComputePipeline>();

  constructor(private readonly device: GPUDevice) {}

  encode(encoder: GPUCommandEncoder, port: GpuPort, direction: Direction, from: GPUBuffer, to: GPUBuffer): void {
    if (port.dims.length === 0) return encoder.copyBufferToBuffer(from, 0, to, 0, rowMajorBytes(port));
    const pipeline = this.#pipelineOf(port, direction), pass = encoder.beginComputePass(), groups = Math.ceil(port.bytes / 4 / threads);
    const sizes = direction === 'pack' ? [rowMajorBytes(port), port.bytes] : [port.bytes, rowMajorBytes(port)];
    const entries = [from, to].map((buffer, binding) => ({ binding, resource: { buffer, size: sizes[binding]! } }));
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.min(groups, groups_max), Math.ceil(groups / groups_max));
    pass.end();
  }

  #pipelineOf(port: GpuPort, direction: Direction): GPUComputePipeline {
    const code = portCode(port, direction), known = this.#pipelines.get(code);
    if (known !== undefined) return known;
    const made = this.device.createComputePipeline({ layout: 'auto', compute: { module: this.device.createShaderModule({ code }), entryPoint: 'main' } });
    this.#pipelines.set(code, made);
    return made;
  }
}

// A thread for each place of the plan's buffer. As Layout has it, a place whose coordinates contradict each other, or lie outside of the tensor,
// holds nothing: packed, that is zero.
export function portCode({ shape: given, dims, bytes }: GpuPort, direction: Direction): string {
  const shape = given.length > 0 ? given : [1];
  const inside = dims.map((_, d) => dims.slice(d + 1).reduce((n, [, , size]) => n * size, 1));
  const places = dims.reduce((n, [, , size]) => n * size, 1);
  const at = (d: number): string => `place / ${inside[d]}u % ${dims[d]![2]}u`;
  const index = (axis: number): string => dims.flatMap(([of, div], d) => (of === axis ? [`p${d} * ${div}u`] : [])).join(' + ') || '0u';
  const held = [
    `place < ${places}u`, ...shape.map((extent, axis) => `i${axis} < ${extent}u`), ...dims.map(([axis, div, size], d) => `i${axis} / ${div}u % ${size}u == p${d}`),
  ].join(' && ');
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const element = shape.map((_, axis) => `i${axis} * ${strides[axis]}u`).join(' + ') || '0u';
  const move = direction === 'pack' ? `var value = 0u; if (held) { value = source[${element}]; } target_[place] = value;` : `if (held) { target_[${element}] = source[place]; }`;
  return `@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_: array<u32>;
@compute @workgroup_size(${threads}) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  let place = id.x + id.y * groups.x * ${threads}u;
  if (place >= ${Math.floor(bytes / 4)}u) { return; }
${dims.map((_, d) => `  let p${d} = ${at(d)};`).join('\n')}
${shape.map((_, axis) => `  let i${axis} = ${index(axis)};`).join('\n')}
  let held = ${held};
  ${move}
}`;
}
