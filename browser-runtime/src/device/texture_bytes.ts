// The content of a texture as it goes up: numbers of rgba16f in two bytes, of all other formats in four.
import type { Texture } from '../generated/manifest.ts';

export function isHalf({ format }: Texture): boolean {
  return format === 'rgba16f';
}

export function textureBytes(texture: Texture): number {
  const { width, height, layers } = texture;
  return width * height * layers * (isHalf(texture) ? 8 : 16);
}
