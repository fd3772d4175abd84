// TaskTextures: the arguments of a task as textures in the runner. A candidate says as which texture, and in which layout, it wants each of them;
// those of one kind are shared by its candidates.
import type { CopyPool } from '../../core/copy_pool.ts';
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { ArgLayout, Buffer, Texture } from '../../generated/protocol.ts';
import type { TensorRuntime } from '../tensor_runtime.ts';
import type { TaskSpec } from '../backend.ts';
import type { IdleTextures } from '../idle_textures.ts';
import type { Runner } from '../runner/runner.ts';
import { makeArgument, type TaskTensor } from '../task_tensor.ts';
import { shapeKey } from '../texture_shape.ts';
import { textureBytes } from '../../../../browser-runtime/src/device/texture_bytes.ts';

export interface Argument {
  readonly key: string;
  readonly bytes: number;                      // of the texture
  readonly buffer: Promise<Attempt<number>>;   // the runner's id
  readonly tensor: TaskTensor | undefined;     // of an output
  users: number;
}

export class TaskTextures {
  readonly #held = new Map<string, Argument>();

  // copies: the device's, of which the task's end with it.
  constructor(
    private readonly runner: Runner, private readonly runtime: TensorRuntime, private readonly spec: TaskSpec, private readonly idle: IdleTextures<Argument>,
    readonly copies: CopyPool<number[]>,
  ) {}

  get all(): readonly Buffer[] {
    return this.spec.buffers;
  }

  // Each is to be released, one whose buffer fails as well.
  take(position: number, shape: Texture, layout: ArgLayout | undefined): Attempt<Argument> {
    const key = JSON.stringify([position, shapeKey(shape), layout?.dims, layout?.dtype]);
    const held = this.#held.get(key), made = held === undefined ? this.#make(key, position, shape, layout) : success(held);
    if (!made.ok) return made;
    this.#held.set(key, made.value);
    this.idle.remove(made.value);
    made.value.users++;
    return made;
  }

  async release(held: Argument): Promise<void> {
    const buffer = await held.buffer;
    held.users--;
    if (held.users > 0 || this.#held.get(held.key) !== held) return;
    if (buffer.ok) this.idle.add(held, held.bytes, () => this.#drop(held));
    else this.#drop(held);
  }

  #make(key: string, position: number, shape: Texture, layout: ArgLayout | undefined): Attempt<Argument> {
    const made = makeArgument(this.runtime, this.spec, position, layout);
    if (!made.ok) return made;
    const tensor = made.value;
    const argument = { key, bytes: textureBytes(shape), buffer: this.#hold(tensor, shape), tensor: tensor.is_output ? tensor : undefined, users: 0 };
    if (!tensor.is_output) tensor.dispose();
    return success(argument);
  }

  // Takes the tensor's content before it returns.
  async #hold(tensor: TaskTensor, shape: Texture): Promise<Attempt<number>> {
    let content = new Uint8Array(0);
    if (!tensor.is_output) tensor.fill(filled => { content = filled.slice(); });
    const made = await this.runner.make(tensor.bytes, this.runtime.poison_bits, shape);
    if (!made.ok || content.length === 0) return made;
    const written = await this.runner.write(made.value, content);
    if (written.ok) return made;
    this.runner.free(made.value);
    return written;
  }

  #drop(held: Argument): void {
    this.#held.delete(held.key);
    held.tensor?.dispose();
    void held.buffer.then(buffer => { if (buffer.ok) this.runner.free(buffer.value); });
  }

  dispose(): void {
    this.copies.forget(this);
    for (const held of [...this.#held.values()]) {
      this.idle.remove(held);
      this.#drop(held);
    }
  }
}
