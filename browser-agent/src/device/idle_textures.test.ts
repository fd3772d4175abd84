import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleTextures } from './idle_textures.ts';

test('given room for two textures, when a third idles, then the one that idles longest is dropped, and one in use again is not', () => {
  const dropped: string[] = [], textures = new IdleTextures<string>(100);
  const add = (name: string, bytes = 50): void => textures.add(name, bytes, () => dropped.push(name));
  add('a');
  add('b');
  textures.remove('a');
  add('c');
  assert.deepEqual(dropped, []);
  add('d');
  assert.deepEqual(dropped, ['b']);
  add('large', 1000);
  assert.deepEqual(dropped, ['b', 'c', 'd', 'large']);
});
