// TaskArguments: the arguments of a task as textures. A candidate says as which texture, and in which layout, it wants each of them; those
// of one kind are shared by its candidates.
import type { CopyPool } from '../../core/copy_pool.ts';
import type { ArgLayout, Buffer, Texture } from '../../generated/protocol.ts';
import type { TensorRuntime } from '../tensor_runtime.ts';
import type { CheckReport, TaskSpec } from '../backend.ts';
import type { IdleTextures } from '../idle_textures.ts';
import { makeArgument, type TaskTensor } from '../task_tensor.ts';
import { shapeKey } from '../texture_shape.ts';
import { textureBytes } from '../../../../browser-runtime/src/device/texture_bytes.ts';
import { WorkError } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';

export interface Argument {
  readonly key: string;
  readonly texture: GpuTexture;
  readonly tensor: TaskTensor | undefined;   // of an output
  users: number;
}

export class TaskArguments {
  readonly #held = new Map<string, Argument>();

  // copies: the device's, of which the task's end with it.
  constructor(
    private readonly gl: WebGL2RenderingContext, private readonly runtime: TensorRuntime, private readonly spec: TaskSpec, private readonly idle: IdleTextures<Argument>,
    readonly copies: CopyPool<GpuTexture[]>,
  ) {}

  get all(): readonly Buffer[] {
    return this.spec.buffers;
  }

  // Call with the context's errors checked. Throws WorkError for what the task has not, or what does not fit.
  take(position: number, shape: Texture, layout: ArgLayout | undefined): Argument {
    const key = JSON.stringify([position, shapeKey(shape), layout?.dims, layout?.dtype]);
    const held = this.#held.get(key) ?? this.#make(key, position, shape, layout);
    this.#held.set(key, held);
    this.idle.remove(held);
    held.users++;
    return held;
  }

  release(held: Argument): void {
    held.users--;
    if (held.users > 0 || !this.#held.has(held.key)) return;
    this.idle.add(held, held.texture.bytes, () => {
      this.#held.delete(held.key);
      disposeArgument(held);
    });
  }

  #make(key: string, position: number, shape: Texture, layout: ArgLayout | undefined): Argument {
    const made = makeArgument(this.runtime, this.spec, position, layout);
    if (!made.ok) throw new WorkError(made.outcome, made.message);
    const tensor = made.value;
    try {
      const texture = this.#textureOf(tensor, shape);
      if (tensor.is_output) return { key, texture, tensor, users: 0 };
      tensor.fill(content => texture.upload(content, this.runtime.poison_bits));
      tensor.dispose();
      return { key, texture, tensor: undefined, users: 0 };
    } catch (error) {
      tensor.dispose();
      throw error;
    }
  }

  #textureOf(tensor: TaskTensor, shape: Texture): GpuTexture {
    if (textureBytes(shape) < tensor.bytes) throw new WorkError('validation_error', `a texture of ${textureBytes(shape)} bytes is bound to ${tensor.name}, which has ${tensor.bytes}`);
    return GpuTexture.make(this.gl, shape);
  }

  // Poison is what elements hold that nobody wrote. texture: its own, or one that stands for it.
  compare({ tensor }: Argument, texture: GpuTexture, report: CheckReport): void {
    tensor?.compare(texture.read().subarray(0, tensor.bytes), report);
  }

  dispose(): void {
    this.copies.forget(this);
    for (const held of this.#held.values()) {
      this.idle.remove(held);
      disposeArgument(held);
    }
    this.#held.clear();
  }
}

function disposeArgument({ texture, tensor }: Argument): void {
  texture.dispose();
  tensor?.dispose();
}
