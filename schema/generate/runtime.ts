// ---- Checking and framing; the tables above say what is checked. Independent of the DOM. ----

declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (label: string, options: { fatal: boolean }) => { decode(bytes: Uint8Array): string };

export type Decoded<T> =
  | { readonly ok: true; readonly message: T; readonly payload: Uint8Array }
  | { readonly ok: false; readonly code: ErrorName; readonly message: string };

type JsonObject = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const utf8Encoder = new TextEncoder();

// A checked copy of a value, or throws a Mismatch, which never leaves decodeHeader.
class Mismatch extends Error {}

function expected(where: string, what: string, value: unknown): Mismatch {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  return new Mismatch(`${where}: expected ${what}, found ${found}`);
}

function checkWhole(value: unknown, low: number, high: number, where: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= low && value <= high) return value;
  throw expected(where, `a whole number from ${low} to ${high}`, value);
}

function checkString(value: unknown, bytesMax: number, where: string): string {
  if (typeof value !== "string") throw expected(where, "a string", value);
  // UTF-8 needs at most 3 bytes per UTF-16 unit, so most strings need no encoding to be measured.
  const bytes = value.length * 3 <= bytesMax ? 0 : utf8Encoder.encode(value).length;
  if (bytes > bytesMax) throw new Mismatch(`${where}: ${bytes} bytes exceed the limit of ${bytesMax}`);
  return value;
}

function checkList(value: unknown, countMax: number, item: Type, where: string): unknown[] {
  if (!Array.isArray(value)) throw expected(where, "a list", value);
  if (value.length > countMax) throw new Mismatch(`${where}: ${value.length} items exceed the limit of ${countMax}`);
  return value.map((entry: unknown, i) => checkType(entry, item, `${where}[${i}]`));
}

function checkMap(value: unknown, countMax: number, item: Type, where: string): JsonObject {
  if (!isObject(value)) throw expected(where, "an object", value);
  const entries = Object.entries(value);
  if (entries.length > countMax) throw new Mismatch(`${where}: ${entries.length} items exceed the limit of ${countMax}`);
  return Object.fromEntries(entries.map(([key, entry]) => [key, checkType(entry, item, `${where}.${key}`)]));
}

function checkName(value: unknown, names: readonly string[], where: string): string {
  if (typeof value === "string" && names.includes(value)) return value;
  throw expected(where, `one of ${names.slice(0, 8).join(", ")}`, value);
}

function checkFields(value: unknown, fields: readonly Field[], where: string): JsonObject {
  if (!isObject(value)) throw expected(where, "an object", value);
  const out: { [name: string]: unknown } = {};
  for (const field of fields) {
    const entry = value[field.name];
    if (entry === undefined && field.optional === true) continue;
    if (entry === undefined) throw new Mismatch(`${where}.${field.name}: is missing`);
    out[field.name] = checkType(entry, field.type, `${where}.${field.name}`);
  }
  return out;
}

function checkType(value: unknown, type: Type, where: string): unknown {
  switch (type.kind) {
    case "string": return checkString(value, type.max, where);
    case "bool":
      if (typeof value !== "boolean") throw expected(where, "true or false", value);
      return value;
    case "f64":
      if (typeof value !== "number") throw expected(where, "a number", value);
      if (value < (type.low ?? value) || value > (type.high ?? value)) throw new Mismatch(`${where}: ${value} is not in ${type.low} to ${type.high}`);
      return value;
    case "u32": return checkWhole(value, type.low ?? 0, type.high ?? 4294967295, where);
    case "u53": return checkWhole(value, type.low ?? 0, type.high ?? Number.MAX_SAFE_INTEGER, where);
    case "i53": return checkWhole(value, type.low ?? -Number.MAX_SAFE_INTEGER, type.high ?? Number.MAX_SAFE_INTEGER, where);
    case "u64":
      if (typeof value !== "string" || !/^[0-9a-f]{16}$/.test(value)) throw expected(where, "16 lower-case hexadecimal digits", value);
      return BigInt(`0x${value}`);
    case "outcome": return checkName(value, errorNames, where);
    case "json": return value;
    case "enum": return checkName(value, type.names, where);
    case "struct": return checkFields(value, type.fields(), where);
    case "list": return checkList(value, type.max, type.of, where);
    case "map": return checkMap(value, type.max, type.of, where);
    case "array": {
      const list = checkList(value, type.size, type.of, where);
      if (list.length !== type.size) throw new Mismatch(`${where}: expected exactly ${type.size} items, found ${list.length}`);
      return list;
    }
    default: return type satisfies never;
  }
}

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
