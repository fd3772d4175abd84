// Which textures are of one kind.
import type { Texture } from '../generated/protocol.ts';

export function shapeKey({ width, height, layers, format }: Texture): string {
  return `${width}×${height}×${layers} ${format}`;
}

export function sameShape(a: Texture, b: Texture): boolean {
  return shapeKey(a) === shapeKey(b);
}
