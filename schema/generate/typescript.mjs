// TypeScript from the model: errors.ts, protocol.ts and manifest.ts. Field names are those of the wire.
import { camel } from "./model.mjs";

const banner = (from) => `// Generated from schema/${from} by scripts/gen_schema. Do not edit.\n`;
const lowerCamel = (name) => camel(name).replace(/^./, (c) => c.toLowerCase());

export function tsErrors(errors) {
  return `${banner("errors.json")}
/** Error and outcome codes by name, as they stand on the wire. */
export const errorNames = [
${errors.map((e) => `  "${e.name}",  // ${e.text}`).join("\n")}
] as const;
export type ErrorName = (typeof errorNames)[number];

export const errorIds: { readonly [name in ErrorName]: number } = {
${errors.map((e) => `  ${e.name}: ${e.id},`).join("\n")}
};
`;
}

const kScalarTypes = { string: "string", bool: "boolean", u32: "number", u53: "number", i53: "number", u64: "bigint",
                       f64: "number", outcome: "ErrorName", json: "unknown" };

function tsType(type) {
  switch (type.kind) {
    case "list": return `readonly ${tsItem(type.of)}[]`;
    case "map": return `{ readonly [name: string]: ${tsType(type.of)} }`;
    case "array": return `readonly [${Array(type.size).fill(tsType(type.of)).join(", ")}]`;
    case "enum": case "struct": return camel(type.name);
    default: return kScalarTypes[type.kind];
  }
}
const tsItem = (type) => (tsType(type).startsWith("readonly") ? `(${tsType(type)})` : tsType(type));

function tsField(f) {
  return `  /** ${f.text}${f.unit ? ` [${f.unit}]` : ""} */\n  readonly ${f.name}${f.optional ? "?" : ""}: ${tsType(f.type)};`;
}

function tsInterface(owner, isMessage) {
  const kind = isMessage ? [`  readonly kind: "${owner.name}";`] : [];
  return `/** ${owner.text} */\nexport interface ${owner.typeName} {\n${[...kind, ...owner.fields.map(tsField)].join("\n")}\n}\n`;
}

function tableType(type, field) {
  switch (type.kind) {
    case "string": return `{ kind: "string", max: ${field.stringMax} }`;
    case "list": case "map": return `{ kind: "${type.kind}", max: ${field.countMax}, of: ${tableType(type.of, field)} }`;
    case "array": return `{ kind: "array", size: ${type.size}, of: ${tableType(type.of, field)} }`;
    case "enum": return `{ kind: "enum", names: ${lowerCamel(type.name)}Names }`;
    case "struct": return `{ kind: "struct", fields: () => ${lowerCamel(type.name)}Fields }`;
    default: return `{ kind: "${type.kind}"${rangeText(field)} }`;
  }
}

const rangeText = (field) => (field.low === undefined ? "" : `, low: ${field.low}, high: ${field.high}`);

function tableFields(fields) {
  const rows = fields.map((f) => `  { name: "${f.name}",${f.optional ? " optional: true," : ""} type: ${tableType(f.type, f)} },`);
  return rows.length === 0 ? "[]" : `[\n${rows.join("\n")}\n]`;
}

// Of the structs those that the fields hold, also within others; those of a message's json field are the service's alone.
function heldStructs(structs, fields) {
  const held = new Set();
  const hold = (type) => {
    if (type.of) return hold(type.of);
    if (type.kind !== "struct" || held.has(type.name)) return;
    held.add(type.name);
    structs.find((s) => s.name === type.name).fields.forEach((f) => hold(f.type));
  };
  fields.forEach((f) => hold(f.type));
  return structs.filter((s) => held.has(s.name));
}

function directionText(d) {
  const list = `export const ${lowerCamel(d.name.replace(/([A-Z])/g, "_$1").slice(1))}: readonly ${d.name}["kind"][] = [\n`;
  return `export type ${d.name} = ${d.messages.map((m) => m.typeName).join(" | ")};\n${list}${d.messages.map((m) => `  "${m.name}",`).join("\n")}\n];\n`;
}

const tsEnums = (model) => model.enums.map((e) =>
  `/** ${e.text} */\nexport const ${lowerCamel(e.name)}Names = [${e.values.map((v) => `"${v.name}"`).join(", ")}] as const;\n` +
  `export type ${camel(e.name)} = (typeof ${lowerCamel(e.name)}Names)[number];\n`).join("\n");
const tsLimits = (model) => model.limits.map((l) => `/** ${l.text} [${l.unit}] */\nexport const ${lowerCamel(l.name)} = ${l.value};`).join("\n");
const tsTable = (struct) => `const ${lowerCamel(struct.name)}Fields: readonly Field[] = ${tableFields(struct.fields)};`;

const tableTypes = `// ---- Tables for the checks. ----

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
`;

export function tsManifest(model, checks) {
  const structs = [...model.used, ...model.structs];
  const roots = ["manifest", "plan_file"];
  const read_here = heldStructs(structs, roots.map((name) => ({ type: { kind: "struct", name } })));
  const read = (name) => `/** Throws TypeError, with what is wrong and where. */
export const read${name} = (json: unknown): ${name} => readStruct<${name}>(json, ${lowerCamel(name)}Fields);
`;
  return `${banner("manifest.json")}
export const manifestFormat = "${model.protocol}";
export const manifestVersion = ${model.version};
${tsLimits(model)}

${tsEnums(model)}
${structs.map((s) => tsInterface(s, false)).join("\n")}
${tableTypes}
${read_here.map(tsTable).join("\n")}

const errorNames: readonly string[] = [];  // a manifest names no error

${checks}
function readStruct<T>(json: unknown, fields: readonly Field[]): T {
  try {
    return checkFields(json, fields, "") as T;  // which has made exactly the fields that the interface names
  } catch (error) {
    throw error instanceof Mismatch ? new TypeError(error.message) : error;
  }
}
${roots.map((name) => read(camel(name))).join("")}`;
}

// Agents and pages have no part in what compile servers and trackers say to each other.
const ofAgents = (model) => ({
  ...model, messages: model.messages.filter((m) => !["server", "relay"].includes(m.socket)), directions: model.directions.filter((d) => !/^(Server|Relay)/.test(d.name)),
});

export function tsProtocol(whole, runtime) {
  const model = ofAgents(whole);
  const tables = model.messages.map((m) => `  ${m.name}: { bytesMax: ${m.bytes_max}, fields: ${tableFields(m.fields).replaceAll("\n", "\n  ")} },`);
  return `${banner("protocol.json")}import { errorNames, type ErrorName } from "../../../browser-runtime/src/generated/errors.ts";

export const protocolName = "${model.protocol}";
export const protocolVersion = ${model.version};
${tsLimits(model)}

${tsEnums(model)}
${model.structs.map((s) => tsInterface(s, false)).join("\n")}
${model.messages.map((m) => tsInterface(m, true)).join("\n")}
export type Message =
${model.messages.map((m) => `  | ${m.typeName}`).join("\n")};

// ---- What one side may send on one socket. ----

${model.directions.map(directionText).join("\n")}
${tableTypes}
${heldStructs(model.structs, model.messages.flatMap((m) => m.fields)).map(tsTable).join("\n")}

const messages: { readonly [kind in Message["kind"]]: { readonly bytesMax: number; readonly fields: readonly Field[] } } = {
${tables.join("\n")}
};

${runtime}`;
}
