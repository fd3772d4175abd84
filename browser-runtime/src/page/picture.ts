// Pictures as a model's input.
import type { ModelValue } from '../package/load.ts';

export interface PictureInput {
  readonly name: string;
  readonly channels: 1 | 3 | 4;
  readonly height: number;
  readonly width: number;
  readonly channels_last: boolean;
}

const side_min = 8;   // pixels; what is smaller is no picture that a person would choose

// The one input that may be a picture by its shape, [1, channels, height, width] or [1, height, width, channels] of floats.
export function pictureInput(inputs: readonly ModelValue[]): PictureInput | undefined {
  const fitting = inputs.flatMap(input => pictureOf(input) ?? []);
  return fitting.length === 1 ? fitting[0] : undefined;
}

function pictureOf({ name, dtype, shape }: ModelValue): PictureInput | undefined {
  const [batch, a = 0, b = 0, c = 0] = shape;
  if ((dtype !== 'f32' && dtype !== 'f16') || shape.length !== 4 || batch !== 1) return undefined;
  if (isChannels(a) && Math.min(b, c) >= side_min) return { name, channels: a, height: b, width: c, channels_last: false };
  if (isChannels(c) && Math.min(a, b) >= side_min) return { name, channels: c, height: a, width: b, channels_last: true };
  return undefined;
}

const isChannels = (count: number): count is 1 | 3 | 4 => count === 1 || count === 3 || count === 4;

// The part of a picture that fills the input without being stretched, its middle: [left, top, width, height].
export function cropOf(picture: { width: number; height: number }, input: Pick<PictureInput, 'width' | 'height'>): [number, number, number, number] {
  const scale = Math.min(picture.width / input.width, picture.height / input.height);
  const width = input.width * scale, height = input.height * scale;
  return [(picture.width - width) / 2, (picture.height - height) / 2, width, height];
}

// rgba: bytes of height x width pixels. Numbers from 0 to 1; one channel is the luminance (ITU-R BT.709, section 3).
export function tensorOf(rgba: ArrayLike<number>, { channels, height, width, channels_last }: PictureInput): Float32Array<ArrayBuffer> {
  const pixels = height * width, tensor = new Float32Array(channels * pixels);
  for (let pixel = 0; pixel < pixels; pixel++)
    for (let channel = 0; channel < channels; channel++)
      tensor[channels_last ? pixel * channels + channel : channel * pixels + pixel] = channels === 1 ? luminance(rgba, 4 * pixel) : rgba[4 * pixel + channel]! / 255;
  return tensor;
}

function luminance(rgba: ArrayLike<number>, at: number): number {
  return (0.2126 * rgba[at]! + 0.7152 * rgba[at + 1]! + 0.0722 * rgba[at + 2]!) / 255;
}
