// Frames between this agent and its runner, as native/pipe_frame.h describes them: two sizes, a header of JSON, a payload.
export interface Frame {
  header: Readonly<Record<string, unknown>>;
  payload: Uint8Array<ArrayBuffer>;
}

const sizes_bytes = 8;

export function encodeFrame(header: Readonly<Record<string, unknown>>, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const frame = new Uint8Array(sizes_bytes + text.length + payload.length);
  const sizes = new DataView(frame.buffer);
  sizes.setUint32(0, text.length, true);
  sizes.setUint32(4, payload.length, true);
  frame.set(text, sizes_bytes);
  frame.set(payload, sizes_bytes + text.length);
  return frame;
}

// Puts frames together from the pieces in which a pipe delivers them. A large payload is copied once.
export class FrameReader {
  readonly #head = new Uint8Array(sizes_bytes);
  #head_length = 0;
  #body: Uint8Array<ArrayBuffer> | undefined;    // header and payload
  #body_length = 0;
  #header_bytes = 0;

  // The frames that this piece completes. Throws for a header that is no JSON object.
  take(piece: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (at < piece.length) {
      at += this.#body === undefined ? this.#takeHead(piece.subarray(at)) : this.#takeBody(this.#body, piece.subarray(at));
      if (this.#body !== undefined && this.#body_length === this.#body.length) frames.push(this.#finish(this.#body));
    }
    return frames;
  }

  #takeHead(piece: Uint8Array): number {
    const taken = Math.min(piece.length, sizes_bytes - this.#head_length);
    this.#head.set(piece.subarray(0, taken), this.#head_length);
    this.#head_length += taken;
    if (this.#head_length < sizes_bytes) return taken;
    const sizes = new DataView(this.#head.buffer);
    this.#header_bytes = sizes.getUint32(0, true);
    this.#body = new Uint8Array(this.#header_bytes + sizes.getUint32(4, true));
    this.#body_length = 0;
    return taken;
  }

  #takeBody(body: Uint8Array, piece: Uint8Array): number {
    const taken = Math.min(piece.length, body.length - this.#body_length);
    body.set(piece.subarray(0, taken), this.#body_length);
    this.#body_length += taken;
    return taken;
  }

  #finish(body: Uint8Array<ArrayBuffer>): Frame {
    this.#body = undefined;
    this.#head_length = 0;
    const header: unknown = JSON.parse(new TextDecoder().decode(body.subarray(0, this.#header_bytes)));
    if (typeof header !== 'object' || header === null) throw new Error('a frame\'s header is not a JSON object');
    return { header: header as Record<string, unknown>, payload: body.subarray(this.#header_bytes) };
  }
}
