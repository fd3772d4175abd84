// TaskArguments: the arguments of a task as textures. A candidate says as which texture, and in which layout, it wants each of them; those
// of one kind are shared by the candidates of a group.
import type { ArgLayout, Texture } from '../../generated/protocol.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { CheckReport, TaskSpec } from '../backend.ts';
import { makeArgument, type TaskTensor } from '../task_tensor.ts';
import { WorkError } from './gl_device.ts';
import { GpuTexture, textureBytes } from './texture.ts';

const idle_bytes_max = 256 << 20;   // of textures that no candidate uses at the moment

export interface Argument {
  readonly texture: GpuTexture;
  readonly tensor: TaskTensor | undefined;   // of an output
  users: number;
}

export class TaskArguments {
  readonly #held = new Map<string, Argument>();   // those used last stand last

  constructor(private readonly gl: WebGL2RenderingContext, private readonly runtime: Runtime, private readonly spec: TaskSpec) {}

  // Call with the context's errors checked. Throws WorkError for what the task has not, or what does not fit.
  take(position: number, shape: Texture, layout: ArgLayout | undefined): Argument {
    const key = JSON.stringify([position, shape.width, shape.height, shape.layers, shape.format, layout?.dims]);
    const held = this.#held.get(key) ?? this.#make(position, shape, layout);
    this.#held.delete(key);
    this.#held.set(key, held);
    held.users++;
    return held;
  }

  release(held: Argument): void {
    held.users--;
    this.#shrink();
  }

  #make(position: number, shape: Texture, layout: ArgLayout | undefined): Argument {
    const made = makeArgument(this.runtime, this.spec, position, layout);
    if (!made.ok) throw new WorkError(made.outcome, made.message);
    const tensor = made.value;
    try {
      const texture = this.#textureOf(tensor, shape);
      if (tensor.is_output) return { texture, tensor, users: 0 };
      tensor.fill(content => texture.upload(content, this.runtime.poison_bits));
      tensor.dispose();
      return { texture, tensor: undefined, users: 0 };
    } catch (error) {
      tensor.dispose();
      throw error;
    }
  }

  #textureOf(tensor: TaskTensor, shape: Texture): GpuTexture {
    if (textureBytes(shape) < tensor.bytes) throw new WorkError('validation_error', `a texture of ${textureBytes(shape)} bytes is bound to ${tensor.name}, which has ${tensor.bytes}`);
    return GpuTexture.make(this.gl, shape);
  }

  // Poison is what elements hold that nobody wrote.
  compare({ texture, tensor }: Argument, report: CheckReport): void {
    tensor?.compare(texture.read().subarray(0, tensor.bytes), report);
  }

  #shrink(): void {
    const idle = [...this.#held].filter(([, { users }]) => users === 0);
    let bytes = idle.reduce((sum, [, { texture }]) => sum + texture.bytes, 0);
    for (const [key, held] of idle) {
      if (bytes <= idle_bytes_max) return;
      bytes -= held.texture.bytes;
      this.#held.delete(key);
      dispose(held);
    }
  }

  dispose(): void {
    for (const held of this.#held.values()) dispose(held);
    this.#held.clear();
  }
}

function dispose({ texture, tensor }: Argument): void {
  texture.dispose();
  tensor?.dispose();
}
