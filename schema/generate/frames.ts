// ---- Framing. ----

declare const TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };

export type Decoded<T> =
  | { readonly ok: true; readonly message: T; readonly payload: Uint8Array }
  | { readonly ok: false; readonly code: ErrorName; readonly message: string };

const refused = (message: string): { readonly ok: false; readonly code: ErrorName; readonly message: string } =>
  ({ ok: false, code: "protocol_error", message });

/** The message of a parsed header. `kinds` is what the peer may send: one of the lists above, e.g. sessionFromServer. */
export function decodeHeader<M extends Message>(header: unknown, payload: Uint8Array, frameBytes: number, kinds: readonly M["kind"][]): Decoded<M> {
  const kind = isObject(header) ? header["kind"] : undefined;
  if (typeof kind !== "string") return refused("the frame's header has no kind");
  const known = kinds.find((name) => name === kind);
  if (known === undefined) return refused(`a message of the kind '${kind.slice(0, 64)}' is not expected here`);
  const table = messages[known];
  if (frameBytes > table.bytesMax) return refused(`${kind}: a frame of ${frameBytes} bytes exceeds the limit of ${table.bytesMax}`);
  try {
    // checkFields has made exactly the fields that the kind's interface names.
    return { ok: true, message: { kind: known, ...checkFields(header, table.fields, kind) } as unknown as M, payload };
  } catch (error) {
    if (error instanceof Mismatch) return refused(error.message);
    throw error;
  }
}

/** The message of a whole frame. The payload is a view of `bytes`, not a copy. */
export function decodeFrame<M extends Message>(bytes: Uint8Array, kinds: readonly M["kind"][]): Decoded<M> {
  if (bytes.length < 4) return refused(`a frame of ${bytes.length} bytes is too short`);
  const headerBytes = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  if (headerBytes > headerBytesMax) return refused(`a header of ${headerBytes} bytes exceeds the limit of ${headerBytesMax}`);
  if (headerBytes > bytes.length - 4) return refused(`a header of ${headerBytes} bytes does not fit into a frame of ${bytes.length}`);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + headerBytes)));
  } catch {
    return refused("the frame's header is not JSON in UTF-8");
  }
  return decodeHeader(header, bytes.subarray(4 + headerBytes), bytes.length, kinds);
}

// JSON has no number that is not finite, and none beyond 2^53.
function toJson(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString(16).padStart(16, "0");
  if (typeof value === "number" && !Number.isFinite(value)) return value < 0 ? -1e308 : 1e308;
  return value;
}

/** A whole frame, ready for WebSocket.send. */
export function encodeFrame(message: Message, payload: Uint8Array = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const header = utf8Encoder.encode(JSON.stringify(message, toJson));
  const frame = new Uint8Array(4 + header.length + payload.length);
  new DataView(frame.buffer).setUint32(0, header.length, true);
  frame.set(header, 4);
  frame.set(payload, 4 + header.length);
  return frame;
}
