import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleTextures, type Argument } from './arguments.ts';
import type { GpuTexture } from './texture.ts';

function idle(key: string, bytes: number): Argument {
  return { key, texture: { bytes } as GpuTexture, tensor: undefined, users: 0 };
}

test('given room for two textures, when a third idles, then the one that idles longest is dropped, and one in use again is not', () => {
  const dropped: string[] = [], textures = new IdleTextures(100);
  const add = (argument: Argument): void => textures.add(argument, () => dropped.push(argument.key));
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(key => idle(key, 50)) as [Argument, Argument, Argument, Argument];
  add(a);
  add(b);
  textures.remove(a);
  add(c);
  assert.deepEqual(dropped, []);
  add(d);
  assert.deepEqual(dropped, ['b']);
  add(idle('large', 1000));
  assert.deepEqual(dropped, ['b', 'c', 'd', 'large']);
});
