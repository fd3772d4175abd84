// The buffers of a task. Each is padded to whole 16 bytes and 16 spare ones: a vector load at the end of a tensor stays inside.
import type { Attempt } from '../../core/outcome.ts';
import { failure, success } from '../../core/outcome.ts';
import type { Buffer } from '../../generated/protocol.ts';
import { isElementType, type ElementType, type Runtime } from '../../runtime/runtime.ts';
import type { TaskSpec } from '../backend.ts';

const alignment = 16;
const spare_bytes = 16;

export function paddedBytes(bytes: number): number {
  return Math.ceil(bytes / alignment) * alignment + spare_bytes;
}

export interface Output {
  name: string;
  type: ElementType;
  buffer: GPUBuffer;
  readback: GPUBuffer;
  bytes: number;              // physical
  view: number;               // runtime pointers
  expected: number;
  physical: number;
  pads_are_zero: boolean;
}

export class TaskBuffers {
  readonly args: GPUBuffer[] = [];
  readonly outputs: Output[] = [];
  #poison: GPUBuffer | undefined;
  readonly #device: GPUDevice;
  readonly #runtime: Runtime;

  constructor(device: GPUDevice, runtime: Runtime) {
    this.#device = device;
    this.#runtime = runtime;
  }

  // Call within error scopes: createBuffer reports lack of memory there.
  make(spec: TaskSpec): Attempt<void> {
    const outputs_first = spec.buffers.findIndex(buffer => buffer.role === 'output');
    if (outputs_first < 0) return failure('invalid_argument', `task ${spec.task} has no output`);
    for (const [position, buffer] of spec.buffers.entries()) {
      const bad = this.#makeOne(buffer, spec.expected[position - outputs_first]);
      if (!bad.ok) return bad;
    }
    return success(undefined);
  }

  #makeOne(buffer: Buffer, expected: ArrayBuffer | undefined): Attempt<void> {
    const type = buffer.dtype;
    if (!isElementType(type)) return failure('unsupported', `buffer ${buffer.name} has dtype ${type}; this agent checks f32, i32 and u32`);
    const view = this.#runtime.storeView(buffer);
    const valid = this.#runtime.viewValid(view), bytes = valid ? this.#runtime.viewElements(view) * 4 : 0;
    if (!valid || bytes > paddedBytes(buffer.bytes)) {
      this.#runtime.free(view);
      return failure('invalid_argument', `buffer ${buffer.name}: shape [${buffer.shape}] and layout [${buffer.dims.join(' ')}] do not fit ${buffer.bytes} bytes`);
    }
    const gpu = this.#device.createBuffer({
      size: paddedBytes(Math.max(bytes, buffer.bytes)),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    this.args.push(gpu);
    if (buffer.role === 'output') return this.#makeOutput(buffer, type, gpu, bytes, view, expected);
    const staging = this.#runtime.allocate(bytes);
    this.#runtime.fill(view, type, buffer.seed, buffer.pad === 'zero' ? 0 : this.#runtime.poison_bits, staging);
    this.#device.queue.writeBuffer(gpu, 0, this.#runtime.bytes(staging, bytes));
    this.#runtime.free(staging);
    this.#runtime.free(view);
    return success(undefined);
  }

  #makeOutput(buffer: Buffer, type: ElementType, gpu: GPUBuffer, bytes: number, view: number, expected: ArrayBuffer | undefined): Attempt<void> {
    const logical_bytes = buffer.shape.reduce((a, b) => a * b, 4);
    if (expected === undefined || expected.byteLength !== logical_bytes) {
      this.#runtime.free(view);
      return failure('invalid_argument', `output ${buffer.name} needs a reference of ${logical_bytes} bytes, got ${expected?.byteLength ?? 0}`);
    }
    const at = this.#runtime.allocate(logical_bytes);
    this.#runtime.bytes(at, logical_bytes).set(new Uint8Array(expected));
    const readback = this.#device.createBuffer({ size: gpu.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const physical = this.#runtime.allocate(bytes);
    this.outputs.push({ name: buffer.name, type, buffer: gpu, readback, bytes, view, expected: at, physical, pads_are_zero: buffer.pad === 'zero' });
    return success(undefined);
  }

  // A buffer that holds nothing but poison, at least as large as asked for.
  poison(bytes: number): GPUBuffer {
    if (this.#poison !== undefined && this.#poison.size >= bytes) return this.#poison;
    this.#poison?.destroy();
    const made = this.#device.createBuffer({ size: paddedBytes(bytes), usage: GPUBufferUsage.COPY_SRC, mappedAtCreation: true });
    new Uint32Array(made.getMappedRange()).fill(this.#runtime.poison_bits);
    made.unmap();
    this.#poison = made;
    return made;
  }

  dispose(): void {
    for (const buffer of this.args) buffer.destroy();
    this.#poison?.destroy();
    for (const output of this.outputs) {
      output.readback.destroy();
      for (const pointer of [output.view, output.expected, output.physical]) this.#runtime.free(pointer);
    }
    this.args.length = 0;
    this.outputs.length = 0;
  }
}
