// ---- Checking; the tables above say what is checked. Independent of the DOM. ----

declare const TextEncoder: new () => { encode(text: string): Uint8Array };

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

