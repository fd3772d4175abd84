// The buffers of a task on the GPU.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { CopyPool } from '../../core/copy_pool.ts';
import type { ArgLayout, Buffer } from '../../generated/protocol.ts';
import type { TensorRuntime } from '../tensor_runtime.ts';
import type { TaskSpec } from '../backend.ts';
import { paddedBytes } from '../../../../browser-runtime/src/device/padded_bytes.ts';
import { makePacked, makeTensors, type TaskTensor } from '../task_tensor.ts';

export interface Output {
  tensor: TaskTensor;
  position: number;              // among the task's arguments
  buffer: GPUBuffer;
  readback: GPUBuffer;
}

export class TaskBuffers {
  readonly args: GPUBuffer[] = [];
  readonly outputs: Output[] = [];
  #tensors: TaskTensor[] = [];
  #spec: TaskSpec | undefined;
  #poison: GPUBuffer | undefined;
  readonly #device: GPUDevice;
  readonly #runtime: TensorRuntime;

  // copies: the device's, of which the task's end with it.
  constructor(device: GPUDevice, runtime: TensorRuntime, readonly copies: CopyPool<GPUBuffer>) {
    this.#device = device;
    this.#runtime = runtime;
  }

  // Call within error scopes: createBuffer reports lack of memory there.
  make(spec: TaskSpec): Attempt<void> {
    const tensors = makeTensors(this.#runtime, spec);
    if (!tensors.ok) return tensors;
    this.#tensors = tensors.value;
    this.#spec = spec;
    for (const [position, tensor] of tensors.value.entries()) this.#makeOne(tensor, spec.buffers[position]?.bytes ?? 0);
    return success(undefined);
  }

  #makeOne(tensor: TaskTensor, bytes: number): void {
    const buffer = this.#device.createBuffer({
      size: paddedBytes(Math.max(tensor.bytes, bytes)),
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    this.args.push(buffer);
    if (!tensor.is_output) return tensor.fill(content => this.#device.queue.writeBuffer(buffer, 0, content));
    const readback = this.#device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    this.outputs.push({ tensor, position: this.args.length - 1, buffer, readback });
  }

  get all(): readonly Buffer[] {
    return this.#spec?.buffers ?? [];
  }

  // Copies of a buffer's content, one behind the other. Call within error scopes.
  copied(source: GPUBuffer, stride: number, count: number): GPUBuffer {
    const copies = this.#device.createBuffer({ size: stride * count, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    const encoder = this.#device.createCommandEncoder();
    for (let i = 0; i < count; i++) encoder.copyBufferToBuffer(source, 0, copies, i * stride, Math.min(source.size, stride));
    this.#device.queue.submit([encoder.finish()]);
    return copies;
  }

  // An input once more, in the layout that a candidate wants; the caller destroys it. Call within error scopes.
  packed(layout: ArgLayout): Attempt<GPUBuffer> {
    const tensor = makePacked(this.#runtime, this.#spec?.buffers ?? [], layout);
    if (!tensor.ok) return tensor;
    const size = paddedBytes(Math.max(tensor.value.bytes, layout.bytes));
    const buffer = this.#device.createBuffer({ size, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    tensor.value.fill(content => this.#device.queue.writeBuffer(buffer, 0, content));
    tensor.value.dispose();
    return success(buffer);
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
    this.copies.forget(this);
    for (const buffer of this.args) buffer.destroy();
    this.#poison?.destroy();
    for (const output of this.outputs) output.readback.destroy();
    for (const tensor of this.#tensors) tensor.dispose();
    this.args.length = 0;
    this.outputs.length = 0;
    this.#tensors = [];
  }
}
