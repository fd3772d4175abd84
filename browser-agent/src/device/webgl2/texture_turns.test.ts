// Draws on copies of textures, on a context that only notes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidate, launch } from '../../../test/samples.ts';
import type { GlDevice } from '../../../../browser-runtime/src/device/webgl2/gl_device.ts';
import { makeStep } from '../../../../browser-runtime/src/device/webgl2/step.ts';
import { GpuTexture } from '../../../../browser-runtime/src/device/webgl2/texture.ts';
import { CopyPool } from '../../core/copy_pool.ts';
import { failure, success, type Attempt } from '../../core/outcome.ts';
import type { Buffer } from '../../generated/protocol.ts';
import { TextureTurns, type Turning } from './texture_turns.ts';

const shape = { width: 16, height: 16, layers: 1, format: 'rgba32f' } as const, texture_bytes = 4096;

// Names of objects that live, and of each draw what it reads and what it draws to.
class NotedContext {
  [name: string]: unknown;
  readonly TEXTURE0 = 0;
  readonly TEXTURE_2D = 'flat';
  readonly live = new Set<object>();
  readonly drawn: { reads: object | undefined; writes: object | undefined }[] = [];
  #unit = 0;
  #textures = new Map<number, object>();
  #targets = new Map<object, object>();
  #framebuffer: object = {};

  // room: textures that memory has room for.
  constructor(public room = Infinity) {
    for (const name of ['texParameteri', 'copyTexSubImage2D', 'drawBuffers', 'useProgram', 'viewport']) this[name] = () => {};
  }

  getParameter(): number { return 4096; }
  isContextLost(): boolean { return false; }
  checkFramebufferStatus(): undefined { return this.FRAMEBUFFER_COMPLETE as undefined; }
  createTexture(): object { return this.#made(); }
  createFramebuffer(): object { return this.#made(); }
  texStorage2D(): void { this.room--; }
  deleteTexture(texture: object): void { this.live.delete(texture); }
  deleteFramebuffer(framebuffer: object): void { this.live.delete(framebuffer); }
  activeTexture(unit: number): void { this.#unit = unit; }
  bindTexture(_: string, texture: object): void { this.#textures.set(this.#unit, texture); }
  bindFramebuffer(_: unknown, framebuffer: object): void { this.#framebuffer = framebuffer; }
  framebufferTexture2D(...[, , , texture]: [unknown, unknown, unknown, object]): void { this.#targets.set(this.#framebuffer, texture); }
  drawArrays(): void { this.drawn.push({ reads: this.#textures.get(0), writes: this.#targets.get(this.#framebuffer) }); }

  #made(): object {
    const object = {};
    this.live.add(object);
    return object;
  }
}

// A kernel that reads a constant and an input, in this order, and draws an output.
function kernel(room = Infinity) {
  const context = new NotedContext(room), gl = context as unknown as WebGL2RenderingContext;
  const checkedNow = <T>(work: () => T): Attempt<T> => {
    const value = work();
    return context.room < 0 ? failure('out_of_memory', 'the context reports OUT_OF_MEMORY') : success(value);
  };
  const own = [0, 1, 2].map(() => GpuTexture.make(gl, shape)), program = {} as WebGLProgram;
  const bound = own.map((texture, position) => ({ texture, writes: position === 2 }));
  const buffers = ['constant', 'input', 'output'].map(role => ({ name: role, role, dtype: 'f32', shape: [1024], dims: [], pad: 'any', bytes: texture_bytes, seed: 0n, low: -1, high: 1 }) as Buffer);
  const bindings = own.map((_, position) => ({ kind: 'arg' as const, position, writes: position === 2, bytes: texture_bytes }));
  const copies = new CopyPool<GpuTexture[]>(textures => textures.forEach(texture => texture.dispose()));
  const parts: Turning = {
    device: { gl, checkedNow } as unknown as GlDevice, task: {}, buffers, copies, candidate: candidate(1, { launches: [{ ...launch, bindings }] }),
    steps: [{ bound, step: makeStep(gl, program, bound, [16, 16]) }], textureOf: (_, position) => own[position],
  };
  return { context, parts, own };
}

async function turnsOf(parts: Turning, of: 'all' | 'constants', bytes: number): Promise<TextureTurns> {
  const made = await TextureTurns.make(parts, { of, bytes });
  assert.ok(made.ok && made.value !== undefined, JSON.stringify(made));
  return made.value;
}

test('given a kernel on textures, when it rotates cold, then each draw of a turn reads and draws to others, in their order, over all takes', async () => {
  const { context, parts } = kernel(), turns = await turnsOf(parts, 'all', 4 * 3 * texture_bytes);
  for (const count of [3, 1, 4]) turns.draw(turns.take(count));
  const { drawn } = context;
  assert.equal(new Set(drawn.slice(0, 4).map(({ reads }) => reads)).size, 4);
  assert.equal(new Set(drawn.slice(0, 4).map(({ writes }) => writes)).size, 4);
  assert.deepEqual(drawn.slice(4), drawn.slice(0, 4));
});

test('given a kernel on textures, when it rotates as in a model, then its constants are others in each draw, and what it draws to is the same', async () => {
  const { context, parts, own } = kernel(), turns = await turnsOf(parts, 'constants', 4 * texture_bytes);
  const taken = turns.take(4);
  turns.draw(taken);
  assert.equal(new Set(context.drawn.map(({ reads }) => reads)).size, 4);
  assert.equal(new Set(context.drawn.map(({ writes }) => writes)).size, 1);
  assert.deepEqual(taken.map(({ standIn }) => standIn(own[2]!) === own[2]), [true, true, true, true]);
});

test('given turns, when the last one is asked for an output, then it is the texture that it draws to', async () => {
  const { context, parts, own } = kernel(), turns = await turnsOf(parts, 'all', 4 * 3 * texture_bytes);
  const taken = turns.take(3);
  turns.draw(taken);
  const before = context.drawn.length, target = taken.at(-1)!.standIn(own[2]!);
  assert.notEqual(target, own[2]);
  target.attach(0, 0);   // to the framebuffer that the last draw left bound
  context.drawArrays();
  assert.equal(context.drawn[before]!.writes, context.drawn[before - 1]!.writes);
});

test('given turns that are over, when their task ends, then all that was made for them is given back', async () => {
  const { context, parts } = kernel(), before = context.live.size, turns = await turnsOf(parts, 'all', 4 * 3 * texture_bytes);
  assert.ok(context.live.size > before + 3 * 3);
  turns.dispose();
  parts.copies.forget(parts.task);
  assert.equal(context.live.size, before);
});

test('given memory that ends amid the copies, when a kernel is to rotate, then it does not, and nothing of them stays', async () => {
  for (const room of [3, 5, 8, 11]) {
    const { context, parts } = kernel(room), before = context.live.size, made = await TextureTurns.make(parts, { of: 'all', bytes: 4 * 3 * texture_bytes });
    assert.equal(made.ok ? 'ok' : made.outcome, 'out_of_memory', `${room} textures`);
    parts.copies.forget(parts.task);
    assert.equal(context.live.size, before, `${room} textures`);
  }
});

test('given a texture that is larger than what is to rotate, when a kernel is to rotate, then there is nothing to take turns', async () => {
  const made = await TextureTurns.make(kernel().parts, { of: 'constants', bytes: texture_bytes });
  assert.deepEqual(made, success(undefined));
});
