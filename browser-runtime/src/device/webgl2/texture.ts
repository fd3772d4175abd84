// GpuTexture: a buffer of a kernel as WebGL has it: texels of four numbers, whose bytes lie along x, then y, then the layers.
import type { Texture } from '../../generated/manifest.ts';
import { isHalf, textureBytes } from '../texture_bytes.ts';
import { WorkError } from './gl_device.ts';

const texel_bytes = 16;   // as it comes down

// How numbers lie in memory.
interface Numbers {
  type: number;
  view(bytes: ArrayBuffer, offset: number): ArrayBufferView;
}

interface Format {
  internal: number;
  format: number;
  up: Numbers;
  down: Numbers;
}

export class GpuTexture {
  readonly bytes: number;   // as it goes up
  readonly #format: Format;
  readonly #texture: WebGLTexture;

  private constructor(private readonly gl: WebGL2RenderingContext, readonly shape: Texture, format: Format, texture: WebGLTexture) {
    this.bytes = textureBytes(shape);
    this.#format = format;
    this.#texture = texture;
  }

  // Throws WorkError for what no texture of this context is; lack of memory is an error of the context.
  static make(gl: WebGL2RenderingContext, shape: Texture): GpuTexture {
    const format = formatOf(gl, shape.format), { width, height, layers } = shape;
    const size_max = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number, layers_max = gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS) as number;
    const fits = Math.min(width, height, layers) >= 1 && Math.max(width, height) <= size_max && layers <= layers_max;
    if (format === undefined) throw new WorkError('validation_error', `a texture has the format ${shape.format}; this agent knows rgba32f, rgba16f, rgba32i and rgba32ui`);
    if (!fits) throw new WorkError('validation_error', `a texture of ${width}×${height}, ${layers} layers, is beyond the context's ${size_max}×${size_max}, ${layers_max} layers`);
    const made = new GpuTexture(gl, shape, format, gl.createTexture());
    made.bind(0);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(made.#target, name, gl.NEAREST);
    for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(made.#target, name, gl.CLAMP_TO_EDGE);
    if (layers === 1) gl.texStorage2D(gl.TEXTURE_2D, 1, format.internal, width, height);
    else gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, format.internal, width, height, layers);
    return made;
  }

  bind(unit: number): void {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.#target, this.#texture);
  }

  // Texels behind the content are zero or, where poison is at work, get a NaN that is not the poison: a kernel may hand them on into what is
  // padding of its output. Throws WorkError when it does not fit.
  upload(content: Uint8Array<ArrayBuffer>, poison_bits?: number): void {
    if (content.byteLength > this.bytes) throw new WorkError('validation_error', `the plan puts ${content.byteLength} bytes into a texture of ${this.bytes}`);
    if (content.byteLength === this.bytes && content.byteOffset === 0) return this.#write(content.buffer);
    const all = new Uint32Array(this.bytes / 4);
    if (content.byteLength < this.bytes && poison_bits !== undefined) all.fill(this.#nan(poison_bits ^ 1));
    new Uint8Array(all.buffer).set(content);
    this.#write(all.buffer);
  }

  // From the byte `at`, a multiple of 16, and no further than the last texel of the content. Throws WorkError when it does not fit.
  uploadPart(at: number, content: Uint8Array<ArrayBuffer>): void {
    const { width, height } = this.shape, size = isHalf(this.shape) ? 8 : 16, texels = Math.ceil(content.byteLength / size), begin = at / size;
    if (at + texels * size > this.bytes) throw new WorkError('validation_error', `the plan puts ${at + texels * size} bytes into a texture of ${this.bytes}`);
    const all = content.byteLength === texels * size ? content : new Uint8Array(texels * size);
    if (all !== content) all.set(content);
    for (let done = 0, count = 0; done < texels; done += count) {
      const place = begin + done, x = place % width, y = Math.floor(place / width) % height, left = texels - done;
      const wide = Math.min(width - x, left), high = wide < width ? 1 : Math.min(height - y, Math.floor(left / width));
      this.#write(all.buffer, { offset: all.byteOffset + done * size, x, y, layer: Math.floor(place / (width * height)), wide, high });
      count = wide * high;
    }
  }

  // The poison is a NaN. A driver that would change its bits still leaves a NaN: then it is wrong_output where it should be not_written.
  poison(poison_bits: number): void {
    this.#write(new Uint32Array(this.bytes / 4).fill(this.#nan(poison_bits)).buffer);
  }

  // Of halves each is the upper half of the word, which is a NaN too.
  #nan(bits: number): number {
    return isHalf(this.shape) ? (bits >>> 16) * 0x10001 : bits;
  }

  // Attaches a layer to the bound framebuffer.
  attach(attachment: number, layer: number): void {
    const { gl } = this;
    if (this.shape.layers === 1) gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + attachment, gl.TEXTURE_2D, this.#texture, 0);
    else gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + attachment, this.#texture, 0, layer);
  }

  // How many bytes come down.
  get bytes_down(): number {
    const { width, height, layers } = this.shape;
    return width * height * layers * texel_bytes;
  }

  // Has its texels copied into the bound PIXEL_PACK_BUFFER, behind all work before; the bound framebuffer is changed.
  pack(at: number): void {
    const { gl } = this, { width, height, layers } = this.shape, { format, down: { type } } = this.#format;
    for (let layer = 0; layer < layers; layer++) {
      this.attach(0, layer);
      gl.readPixels(0, 0, width, height, format, type, at + layer * width * height * texel_bytes);
    }
  }

  // Of its first texel alone.
  packFirst(at: number): void {
    const { gl } = this, { format, down: { type } } = this.#format;
    this.attach(0, 0);
    gl.readPixels(0, 0, 1, 1, format, type, at);
  }

  // Waits for all work before; the framebuffer binding is another one afterwards.
  read(): Uint8Array<ArrayBuffer> {
    const { gl } = this, { width, height, layers } = this.shape, { format, down: { type, view } } = this.#format;
    const all = new ArrayBuffer(width * height * layers * texel_bytes), framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    for (let layer = 0; layer < layers; layer++) {
      this.attach(0, layer);
      gl.readPixels(0, 0, width, height, format, type, view(all, layer * width * height * texel_bytes));
    }
    gl.deleteFramebuffer(framebuffer);
    return new Uint8Array(all);
  }

  // Gives its content to others of its shape; the framebuffer binding is another one afterwards.
  copyTo(others: readonly GpuTexture[]): void {
    const { gl } = this, { width, height, layers } = this.shape, framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    for (let layer = 0; layer < layers; layer++) {
      this.attach(0, layer);
      for (const other of others) {
        other.bind(0);
        if (layers === 1) gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 0, 0, width, height);
        else gl.copyTexSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, 0, 0, width, height);
      }
    }
    gl.deleteFramebuffer(framebuffer);
  }

  // Reads one texel of the bound framebuffer, whose first attachment is this texture's: so it waits for the work on it.
  waitFor(): void {
    const { format, down: { type, view } } = this.#format;
    this.gl.readPixels(0, 0, 1, 1, format, type, view(new ArrayBuffer(texel_bytes), 0));
  }

  get #target(): number {
    return this.shape.layers === 1 ? this.gl.TEXTURE_2D : this.gl.TEXTURE_2D_ARRAY;
  }

  // All of it, or a rectangle of one layer, whose bytes begin at the offset.
  #write(bytes: ArrayBuffer, of?: { offset: number; x: number; y: number; layer: number; wide: number; high: number }): void {
    const { gl } = this, { width, height, layers } = this.shape, { format, up: { type, view } } = this.#format;
    const { offset, x, y, layer, wide, high } = of ?? { offset: 0, x: 0, y: 0, layer: 0, wide: width, high: height };
    this.bind(0);
    if (layers === 1) gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, wide, high, format, type, view(bytes, offset));
    else gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, x, y, layer, wide, high, of === undefined ? layers : 1, format, type, view(bytes, offset));
  }

  dispose(): void {
    this.gl.deleteTexture(this.#texture);
  }
}

function formatOf(gl: WebGL2RenderingContext, name: string): Format | undefined {
  const floats: Numbers = { type: gl.FLOAT, view: (bytes, offset) => new Float32Array(bytes, offset) };
  const halves: Numbers = { type: gl.HALF_FLOAT, view: (bytes, offset) => new Uint16Array(bytes, offset) };
  const whole: Numbers = { type: gl.INT, view: (bytes, offset) => new Int32Array(bytes, offset) };
  const unsigned: Numbers = { type: gl.UNSIGNED_INT, view: (bytes, offset) => new Uint32Array(bytes, offset) };
  switch (name) {
    case 'rgba32f': return { internal: gl.RGBA32F, format: gl.RGBA, up: floats, down: floats };
    case 'rgba16f': return { internal: gl.RGBA16F, format: gl.RGBA, up: halves, down: floats };
    case 'rgba32i': return { internal: gl.RGBA32I, format: gl.RGBA_INTEGER, up: whole, down: whole };
    case 'rgba32ui': return { internal: gl.RGBA32UI, format: gl.RGBA_INTEGER, up: unsigned, down: unsigned };
    default: return undefined;
  }
}
