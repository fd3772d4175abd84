// Generated from schema/manifest.json by scripts/gen_schema. Do not edit.

export const manifestFormat = "hone.package";
export const manifestVersion = 1;
/** one file of weights [bytes] */
export const chunkBytesMax = 8388608;
/** manifest.json, and each plan file [bytes] */
export const manifestBytesMax = 8388608;

/** What runs a plan. */
export const backendNames = ["webgpu", "webgl", "wasm"] as const;
export type Backend = (typeof backendNames)[number];

/** One dispatch of a plan. */
export interface PlanLaunch {
  /** Its position among the plan's kernels. */
  readonly kernel: number;
  /** Workgroups along x, y and z. [workgroups] */
  readonly grid: readonly [number, number, number];
  /** Per binding the buffer's position in the plan. */
  readonly buffers: readonly number[];
  /** Per binding the size that the kernel declares. [bytes] */
  readonly binding_bytes: readonly number[];
  /** True: all that it writes follows from constants, into buffers that nobody else writes; an agent may run it in the first run alone. Absent: false. */
  readonly ahead?: boolean;
}

/** Launches of a plan that run again and again. */
export interface PlanLoop {
  /** Position of the first one. */
  readonly first: number;
  /** Position behind the last one. */
  readonly last: number;
  /** How often they run; absent where a condition says it. [trips] */
  readonly trips?: number;
  /** Position of a buffer: before each trip its first word is read, and 0 ends the loop. Absent where trips says it. */
  readonly condition?: number;
}

/** What a buffer is where kernels read textures (target webgl): texels of four numbers. Its bytes fill them along x, then y, then the layers; the last texels may be beyond the buffer and hold anything. */
export interface Texture {
  /** At least 1, at most the device's MAX_TEXTURE_SIZE. [texels] */
  readonly width: number;
  /** Likewise. [texels] */
  readonly height: number;
  /** 1: a plain texture; more: an array of so many, at most the device's MAX_ARRAY_TEXTURE_LAYERS, or as many as it writes at once where a kernel writes it. */
  readonly layers: number;
  /** rgba32f, rgba32i, rgba32ui, or rgba16f, which only scratch buffers and constants are; its numbers go up as two bytes each, those of all others up and down as four. */
  readonly format: string;
}

/** A file of the package, named by its content. */
export interface Asset {
  /** Its name, beside manifest.json. */
  readonly file: string;
  /** Its size. [bytes] */
  readonly bytes: number;
  /** 64 hexadecimal digits, over all of it. */
  readonly sha256: string;
}

/** An input or output of the model. */
export interface ModelValue {
  /** As the model names it. */
  readonly name: string;
  /** Its element type as the caller sees it: f32, f64, f16, i32, u32, i64, u64, i16, u16, i8, u8, bool. */
  readonly dtype: string;
  /** Its extents, outermost first; where lengths says so, the most that there may be. */
  readonly shape: readonly number[];
  /** Of an output whose size only a run tells, by dimension: 1 + the position of the output that says how much of it counts, or 0: all. */
  readonly lengths?: readonly number[];
  /** Of the output, the last, that tells whether a whole number of 64 bits has left the 32 in which it is computed: the values that are watched. It is 0 where none has, else 1 + the position of the first one that did, and then no output is right. */
  readonly watched?: readonly string[];
}

/** A constant of the model, row-major. */
export interface Weight {
  /** f32, f16, i32 or u32, as it lies in the chunks, little-endian. */
  readonly dtype: string;
  /** Its extents, outermost first. */
  readonly shape: readonly number[];
  /** Where it begins in all chunks, one after the other; a multiple of 16. [bytes] */
  readonly offset: number;
  /** Its size there. [bytes] */
  readonly bytes: number;
}

/** A weight as the kernels of a plan read it. */
export interface PlanWeight {
  /** Its position among the manifest's weights. */
  readonly weight: number;
  /** The plan's buffer that holds it. */
  readonly buffer: number;
  /** How the kernels hold its elements: f32, f16, i32 or u32. */
  readonly dtype: string;
  /** Its layout, outermost first: each physical dimension is [axis, div, size], with index (logical[axis] / div) mod size; what holds no element is zero. Empty: row-major. */
  readonly dims: readonly (readonly [number, number, number])[];
  /** Its size in this layout. [bytes] */
  readonly bytes: number;
}

/** An input or output of the model as it lies in a buffer. */
export interface PlanPort {
  /** Its position among the manifest's inputs, or outputs. */
  readonly value: number;
  /** The plan's buffer that holds it; several outputs may show one. */
  readonly buffer: number;
  /** How the kernels hold its elements: f32, f16, i32 or u32; of outputs f32, i32 or u32. Whole numbers of the model beyond 32 bits do not fit. */
  readonly dtype: string;
  /** Its layout, as in plan_weight. */
  readonly dims: readonly (readonly [number, number, number])[];
  /** Its size in this layout. [bytes] */
  readonly bytes: number;
}

/** A kernel of a plan: source text in UTF-8, or a WebAssembly module that exports main. */
export interface PackageKernel {
  /** Where it begins in the plan's file of kernels. [bytes] */
  readonly offset: number;
  /** Its size. [bytes] */
  readonly bytes: number;
  /** Per binding of group 0: true when the kernel may write it. */
  readonly writes: readonly boolean[];
  /** Memory that each call needs to itself; 0 on GPUs. [bytes] */
  readonly scratch_bytes: number;
}

/** All launches of the model for one class of devices: the content of a plan's file. */
export interface PlanFile {
  /** The size of each buffer, a multiple of 16. [bytes] */
  readonly buffers: readonly number[];
  /** What the buffers are, where kernels read textures; else empty. */
  readonly textures: readonly Texture[];
  /** The distinct kernels. */
  readonly kernels: readonly PackageKernel[];
  /** In the order in which they run. */
  readonly launches: readonly PlanLaunch[];
  /** What is put into buffers once. */
  readonly weights: readonly PlanWeight[];
  /** What is put into buffers before each run. */
  readonly inputs: readonly PlanPort[];
  /** What is read after each run. */
  readonly outputs: readonly PlanPort[];
  /** As in an execute frame. Absent: none. */
  readonly loops?: readonly PlanLoop[];
}

/** A plan, and where it can run. */
export interface PlanHead {
  /** What runs it. */
  readonly backend: Backend;
  /** For people: the device that it was tuned on, or portable. */
  readonly made_for: string;
  /** Of that device's adapter, as the browser names it; empty: portable. */
  readonly vendor: string;
  /** Likewise. */
  readonly architecture: string;
  /** In lower case: chromium, firefox, safari; empty: portable. */
  readonly browser: string;
  /** What a device must have: features of the adapter, of WGSL, or of WebAssembly. */
  readonly features: readonly string[];
  /** What a device must have at least, by names in the API; linearSubgroupSize, the size of subgroups whose lanes follow the invocations, is met by exactly that size. */
  readonly limits: { readonly [name: string]: number };
  /** Tasks of the model that a search has tuned for this device; the others have the schedule that they have without. */
  readonly tuned: number;
  /** Tasks of the model. */
  readonly tasks: number;
  /** All buffers together. [bytes] */
  readonly memory_bytes: number;
  /** The plan_file as JSON. */
  readonly plan: Asset;
  /** The code of its kernels, one after the other. */
  readonly kernels: Asset;
}

/** The same model for other sizes of its open dimensions, over the same weights. */
export interface SizedManifest {
  /** As in its manifest. */
  readonly dims: { readonly [name: string]: number };
  /** Its manifest, beside manifest.json. */
  readonly file: string;
}

/** manifest.json: what the package is. */
export interface Manifest {
  /** hone.package */
  readonly format: string;
  /** Of this format; a runtime reads its own version alone. */
  readonly version: number;
  /** hone and its version. */
  readonly made_by: string;
  /** The model's name, for people. */
  readonly model: string;
  /** What run() takes. */
  readonly inputs: readonly ModelValue[];
  /** What run() gives. */
  readonly outputs: readonly ModelValue[];
  /** The model's constants, stored once for all plans. */
  readonly weights: readonly Weight[];
  /** The files that hold them, in order. */
  readonly chunks: readonly Asset[];
  /** Those for devices of their own first, portable ones last. */
  readonly plans: readonly PlanHead[];
  /** The sizes of the model's open dimensions that it was made for, by name. */
  readonly dims?: { readonly [name: string]: number };
  /** Of manifest.json, where the package was made for several sizes: all of them, its own first. */
  readonly sizes?: readonly SizedManifest[];
}

/** A file of a package within an archive. */
export interface ArchivedFile {
  /** Its name beside manifest.json. */
  readonly name: string;
  /** Its size. [bytes] */
  readonly bytes: number;
}

/** A package on its way to a service: the length of this header as JSON (u32, little-endian), the header, and the files one after the other. */
export interface PackageArchive {
  /** In order; those that the runtime alone needs are left out. */
  readonly files: readonly ArchivedFile[];
}

// ---- Tables for the checks. ----

type Type =
  | { readonly kind: "bool" | "u64" | "outcome" | "json" }
  | { readonly kind: "u32" | "u53" | "i53" | "f64"; readonly low?: number; readonly high?: number }  // both or none
  | { readonly kind: "string"; readonly max: number }
  | { readonly kind: "enum"; readonly names: readonly string[] }
  | { readonly kind: "struct"; readonly fields: () => readonly Field[] }
  | { readonly kind: "list" | "map"; readonly max: number; readonly of: Type }
  | { readonly kind: "array"; readonly size: number; readonly of: Type };
interface Field {
  readonly name: string;
  readonly optional?: true;
  readonly type: Type;
}

const planLaunchFields: readonly Field[] = [
  { name: "kernel", type: { kind: "u32" } },
  { name: "grid", type: { kind: "array", size: 3, of: { kind: "u32" } } },
  { name: "buffers", type: { kind: "list", max: 64, of: { kind: "u32" } } },
  { name: "binding_bytes", type: { kind: "list", max: 64, of: { kind: "u53" } } },
  { name: "ahead", optional: true, type: { kind: "bool" } },
];
const planLoopFields: readonly Field[] = [
  { name: "first", type: { kind: "u32" } },
  { name: "last", type: { kind: "u32" } },
  { name: "trips", optional: true, type: { kind: "u53" } },
  { name: "condition", optional: true, type: { kind: "u32" } },
];
const textureFields: readonly Field[] = [
  { name: "width", type: { kind: "u32" } },
  { name: "height", type: { kind: "u32" } },
  { name: "layers", type: { kind: "u32" } },
  { name: "format", type: { kind: "string", max: 16 } },
];
const assetFields: readonly Field[] = [
  { name: "file", type: { kind: "string", max: 256 } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "sha256", type: { kind: "string", max: 64 } },
];
const modelValueFields: readonly Field[] = [
  { name: "name", type: { kind: "string", max: 4096 } },
  { name: "dtype", type: { kind: "string", max: 16 } },
  { name: "shape", type: { kind: "list", max: 8, of: { kind: "u53" } } },
  { name: "lengths", optional: true, type: { kind: "list", max: 8, of: { kind: "u32" } } },
  { name: "watched", optional: true, type: { kind: "list", max: 1024, of: { kind: "string", max: 4096 } } },
];
const weightFields: readonly Field[] = [
  { name: "dtype", type: { kind: "string", max: 16 } },
  { name: "shape", type: { kind: "list", max: 8, of: { kind: "u53" } } },
  { name: "offset", type: { kind: "u53" } },
  { name: "bytes", type: { kind: "u53" } },
];
const planWeightFields: readonly Field[] = [
  { name: "weight", type: { kind: "u32" } },
  { name: "buffer", type: { kind: "u32" } },
  { name: "dtype", type: { kind: "string", max: 16 } },
  { name: "dims", type: { kind: "list", max: 32, of: { kind: "array", size: 3, of: { kind: "i53" } } } },
  { name: "bytes", type: { kind: "u53" } },
];
const planPortFields: readonly Field[] = [
  { name: "value", type: { kind: "u32" } },
  { name: "buffer", type: { kind: "u32" } },
  { name: "dtype", type: { kind: "string", max: 16 } },
  { name: "dims", type: { kind: "list", max: 32, of: { kind: "array", size: 3, of: { kind: "i53" } } } },
  { name: "bytes", type: { kind: "u53" } },
];
const packageKernelFields: readonly Field[] = [
  { name: "offset", type: { kind: "u53" } },
  { name: "bytes", type: { kind: "u53" } },
  { name: "writes", type: { kind: "list", max: 64, of: { kind: "bool" } } },
  { name: "scratch_bytes", type: { kind: "u32" } },
];
const planFileFields: readonly Field[] = [
  { name: "buffers", type: { kind: "list", max: 65536, of: { kind: "u53" } } },
  { name: "textures", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => textureFields } } },
  { name: "kernels", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => packageKernelFields } } },
  { name: "launches", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planLaunchFields } } },
  { name: "weights", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planWeightFields } } },
  { name: "inputs", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planPortFields } } },
  { name: "outputs", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => planPortFields } } },
  { name: "loops", optional: true, type: { kind: "list", max: 256, of: { kind: "struct", fields: () => planLoopFields } } },
];
const planHeadFields: readonly Field[] = [
  { name: "backend", type: { kind: "enum", names: backendNames } },
  { name: "made_for", type: { kind: "string", max: 1024 } },
  { name: "vendor", type: { kind: "string", max: 256 } },
  { name: "architecture", type: { kind: "string", max: 256 } },
  { name: "browser", type: { kind: "string", max: 64 } },
  { name: "features", type: { kind: "list", max: 256, of: { kind: "string", max: 128 } } },
  { name: "limits", type: { kind: "map", max: 256, of: { kind: "f64" } } },
  { name: "tuned", type: { kind: "u32" } },
  { name: "tasks", type: { kind: "u32" } },
  { name: "memory_bytes", type: { kind: "u53" } },
  { name: "plan", type: { kind: "struct", fields: () => assetFields } },
  { name: "kernels", type: { kind: "struct", fields: () => assetFields } },
];
const sizedManifestFields: readonly Field[] = [
  { name: "dims", type: { kind: "map", max: 64, of: { kind: "f64" } } },
  { name: "file", type: { kind: "string", max: 256 } },
];
const manifestFields: readonly Field[] = [
  { name: "format", type: { kind: "string", max: 32 } },
  { name: "version", type: { kind: "u32" } },
  { name: "made_by", type: { kind: "string", max: 64 } },
  { name: "model", type: { kind: "string", max: 4096 } },
  { name: "inputs", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => modelValueFields } } },
  { name: "outputs", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => modelValueFields } } },
  { name: "weights", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => weightFields } } },
  { name: "chunks", type: { kind: "list", max: 65536, of: { kind: "struct", fields: () => assetFields } } },
  { name: "plans", type: { kind: "list", max: 1024, of: { kind: "struct", fields: () => planHeadFields } } },
  { name: "dims", optional: true, type: { kind: "map", max: 64, of: { kind: "f64" } } },
  { name: "sizes", optional: true, type: { kind: "list", max: 64, of: { kind: "struct", fields: () => sizedManifestFields } } },
];

const errorNames: readonly string[] = [];  // a manifest names no error

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


function readStruct<T>(json: unknown, fields: readonly Field[]): T {
  try {
    return checkFields(json, fields, "") as T;  // which has made exactly the fields that the interface names
  } catch (error) {
    throw error instanceof Mismatch ? new TypeError(error.message) : error;
  }
}
/** Throws TypeError, with what is wrong and where. */
export const readManifest = (json: unknown): Manifest => readStruct<Manifest>(json, manifestFields);
/** Throws TypeError, with what is wrong and where. */
export const readPlanFile = (json: unknown): PlanFile => readStruct<PlanFile>(json, planFileFields);
