// TaskTensor: a buffer of a task as the runtime knows it: its layout, its content when it is an input, its reference when it is an output.
import type { Attempt } from '../core/outcome.ts';
import { failure, success } from '../core/outcome.ts';
import type { ArgLayout, Buffer } from '../generated/protocol.ts';
import { isElementType, type ElementType, type Magnitudes, type TensorRuntime } from './tensor_runtime.ts';
import { paddedBytes } from '../../../browser-runtime/src/device/padded_bytes.ts';
import type { CheckReport, Reference, TaskSpec } from './backend.ts';
import { toHalves } from '../../../browser-runtime/src/device/halves.ts';

export class TaskTensor {
  readonly #runtime: TensorRuntime;
  readonly #buffer: Buffer;
  readonly #type: ElementType;
  readonly #halves: boolean;                     // an input of f32 that goes up as f16
  readonly #view: number;                        // pointers of the runtime
  #expected: number | undefined;
  #magnitudes: Magnitudes = { largest: 0, median: 0 };
  #physical: number | undefined;

  // bytes: whole words of four.
  private constructor(runtime: TensorRuntime, buffer: Buffer, type: ElementType, halves: boolean, view: number, readonly bytes: number) {
    this.#runtime = runtime;
    this.#buffer = buffer;
    this.#type = type;
    this.#halves = halves;
    this.#view = view;
  }

  // expected: of an output, its reference in logical order. Throws RangeError when the runtime has no memory left.
  // stored: its element type on the device.
  static make(runtime: TensorRuntime, buffer: Buffer, expected: Reference | undefined, stored = buffer.dtype): Attempt<TaskTensor> {
    const type = buffer.dtype, halves = stored === 'f16' && type === 'f32' && buffer.role !== 'output';
    if (!isElementType(type)) return failure('unsupported', `buffer ${buffer.name} has dtype ${type}; this agent checks f32, i32 and u32`);
    if (stored !== type && !halves) return failure('unsupported', `buffer ${buffer.name}, an ${buffer.role} of ${type}, is asked for as ${stored}; inputs of f32 may be f16`);
    const view = runtime.storeView(buffer);
    const valid = runtime.viewValid(view), elements = valid ? runtime.viewElements(view) : 0;
    const bytes = (halves ? Math.ceil(elements / 2) : elements) * 4;
    const tensor = new TaskTensor(runtime, buffer, type, halves, view, bytes);
    const fits = valid && bytes <= paddedBytes(buffer.bytes);
    const made = !fits
      ? failure('invalid_argument', `buffer ${buffer.name}: shape [${buffer.shape}] and layout [${buffer.dims.join(' ')}] do not fit ${buffer.bytes} bytes`)
      : tensor.is_output ? tensor.#takeReference(expected) : success(undefined);
    if (made.ok) return success(tensor);
    tensor.dispose();
    return made;
  }

  get name(): string {
    return this.#buffer.name;
  }

  get is_output(): boolean {
    return this.#buffer.role === 'output';
  }

  // Makes an input's content and hands it to `write`, once; the bytes die with the call.
  fill(write: (content: Uint8Array<ArrayBuffer>) => void): void {
    const runtime = this.#runtime, { pad } = this.#buffer, bytes = runtime.viewElements(this.#view) * 4;
    const staging = runtime.allocate(bytes);
    runtime.fill(this.#view, this.#type, this.#buffer, pad === 'zero' ? 0 : runtime.poison_bits, staging);
    const content = runtime.bytes(staging, bytes);
    write(this.#halves ? toHalves(content) : content);
    runtime.free(staging);
  }

  // Compares what the device wrote with an output's reference, and puts it to what the report says of other outputs.
  compare(physical: Uint8Array, report: CheckReport): void {
    if (this.#physical === undefined || this.#expected === undefined) throw new Error(`${this.name} is no output`);
    this.#runtime.bytes(this.#physical, this.bytes).set(physical);
    const found = this.#runtime.compare(this.#view, this.#type, this.#physical, this.#expected, this.#magnitudes, this.#buffer.pad === 'zero');
    report.unwritten += found.unwritten;
    const error = found.nonzero_pads > 0 ? Infinity : found.max_error;
    if (!(error > report.max_error)) return;
    report.max_error = error;
    report.finding = found.nonzero_pads > 0
      ? `${found.nonzero_pads} pad elements of ${this.name} that must be zero are not`
      : `worst at element ${found.worst_index} of ${this.name}`;
  }

  #takeReference(expected: Reference | undefined): Attempt<void> {
    const logical_bytes = this.#buffer.shape.reduce((a, b) => a * b, 4);
    if (expected === undefined || expected.content.byteLength !== logical_bytes) {
      return failure('invalid_argument', `output ${this.name} needs a reference of ${logical_bytes} bytes, got ${expected?.content.byteLength ?? 0}`);
    }
    this.#expected = this.#runtime.allocate(logical_bytes);
    this.#runtime.bytes(this.#expected, logical_bytes).set(new Uint8Array(expected.content));
    this.#magnitudes = expected;
    this.#physical = this.#runtime.allocate(this.bytes);
    return success(undefined);
  }

  dispose(): void {
    for (const pointer of [this.#view, this.#expected, this.#physical]) if (pointer !== undefined) this.#runtime.free(pointer);
  }
}

// An input of a task in the layout and element type that a candidate wants.
export function makePacked(runtime: TensorRuntime, buffers: readonly Buffer[], layout: ArgLayout): Attempt<TaskTensor> {
  const buffer = buffers[layout.position];
  if (buffer === undefined || buffer.role === 'output') return failure('validation_error', `a layout is asked for of buffer ${layout.position}, which is no input`);
  return makeArgument(runtime, { buffers, expected: [] }, layout.position, layout);
}

// An argument of a task, in the layout and element type that a candidate wants or, without one, in the task's. An output is compared in that layout.
export function makeArgument(runtime: TensorRuntime, { buffers, expected }: Pick<TaskSpec, 'buffers' | 'expected'>, position: number, layout?: ArgLayout): Attempt<TaskTensor> {
  const buffer = buffers[position];
  if (buffer === undefined) return failure('validation_error', `argument ${position} is asked for; the task has ${buffers.length}`);
  const reference = expected[position - buffers.findIndex(({ role }) => role === 'output')];
  if (layout === undefined) return TaskTensor.make(runtime, buffer, reference);
  return TaskTensor.make(runtime, { ...buffer, dims: layout.dims, bytes: layout.bytes }, reference, layout.dtype);
}

// The tensors of a task, inputs and constants before outputs. All of them or none.
export function makeTensors(runtime: TensorRuntime, { task, buffers, expected }: { task: string; buffers: readonly Buffer[]; expected: readonly Reference[] }): Attempt<TaskTensor[]> {
  const outputs_first = buffers.findIndex(buffer => buffer.role === 'output');
  if (outputs_first < 0) return failure('invalid_argument', `task ${task} has no output`);
  const tensors: TaskTensor[] = [];
  for (const [position, buffer] of buffers.entries()) {
    const made = TaskTensor.make(runtime, buffer, expected[position - outputs_first]);
    if (made.ok) {
      tensors.push(made.value);
      continue;
    }
    for (const tensor of tensors) tensor.dispose();
    return made;
  }
  return success(tensors);
}
