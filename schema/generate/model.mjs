// The model behind the generators: protocol.json, or manifest.json, with its types parsed and its rules checked.
export const camel = (name) => name.split(/[_-]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("");
export const kName = (name) => `k${camel(name)}`;

const kScalars = ["string", "bool", "u32", "u53", "i53", "u64", "f64", "outcome", "json"];
const kNumbers = ["u32", "u53", "i53", "f64"];
const kStringMax = 65536;
const kCountMax = 65536;

function fail(where, what) {
  throw new Error(`schema: ${where}: ${what}`);
}

// "list<array<i53,3>>" → {kind: "list", of: {kind: "array", of: {kind: "i53"}, size: 3}}
function parseType(text, names, where) {
  const list = /^(list|map)<(.+)>$/.exec(text);
  if (list) return { kind: list[1], of: parseType(list[2], names, where) };
  const array = /^array<(.+),(\d+)>$/.exec(text);
  if (array) return { kind: "array", of: parseType(array[1], names, where), size: Number(array[2]) };
  if (kScalars.includes(text)) return { kind: text };
  if (names.enums.has(text)) return { kind: "enum", name: text };
  if (names.structs.has(text)) return { kind: "struct", name: text };
  return fail(where, `unknown type ${text} (a struct stands before its use)`);
}

const leafOf = (type) => (type.of ? leafOf(type.of) : type);

function checkIds(items, where) {
  const seen = new Set();
  for (const item of items) {
    if (!Number.isInteger(item.id) || seen.has(item.id)) fail(`${where}.${item.name}`, `id ${item.id} is missing or used twice`);
    seen.add(item.id);
    if (!item.text) fail(`${where}.${item.name}`, "has no text");
  }
}

function loadField(field, names, where) {
  const type = parseType(field.type, names, where);
  if (type.of && leafOf(type).kind === "u64") fail(where, "a u64 is a field of its own; C++ has one type for it and u53");
  if ((field.low === undefined) !== (field.high === undefined)) fail(where, "a range has two ends");
  if (field.low !== undefined && !kNumbers.includes(leafOf(type).kind)) fail(where, "only numbers have a range");
  return { optional: false, unit: "", ...field, type, typeText: field.type, countMax: field.max ?? kCountMax,
           stringMax: type.kind === "string" ? field.max ?? kStringMax : field.string_max ?? kStringMax };
}

function loadFields(owner, names) {
  checkIds(owner.fields, owner.name);
  return owner.fields.filter((field) => !field.deleted).map((field) => loadField(field, names, `${owner.name}.${field.name}`));
}

// Requests carry "id", replies "reply_to"; both come before the message's own fields.
function idFields(message) {
  const field = (name, text) => ({ id: 0, name, type: { kind: "u53" }, typeText: "u53", optional: false, unit: "", text });
  if (message.asks) return [field("id", "The request's number, chosen by the sender.")];
  return message.answers ? [field("reply_to", "The id of the request.")] : [];
}

// The unions of what one side may send on one socket; "error" belongs to each. What is shared is sent on another socket, too.
function directions(messages, shared) {
  const sides = new Map();
  const add = (socket, from, message) => {
    const name = `${camel(socket)}From${camel(from)}`;
    sides.set(name, [...(sides.get(name) ?? []), message]);
  };
  for (const message of messages.filter((m) => m.socket !== "any")) add(message.socket, message.from, message);
  for (const { socket, asks, answers, messages: names } of shared)
    for (const name of names) {
      const message = messages.find((m) => m.name === name) ?? fail("shared", `unknown message ${name}`);
      add(socket, message.answers ? answers : asks, message);
    }
  const both = messages.filter((m) => m.socket === "any");
  return [...sides].map(([name, list]) => ({ name, messages: [...list, ...both] }));
}

// The structs of another model that this one uses.
function usedStructs(source, other) {
  return (source.uses ?? []).map((name) => other.structs.find((s) => s.name === name) ?? fail("uses", `unknown struct ${name}`));
}

export function loadModel(source, errors, other) {
  const used = usedStructs(source, other);
  const names = { enums: new Set(source.enums.map((e) => e.name)), structs: new Set(used.map((s) => s.name)) };
  const structs = source.structs.map((struct) => {
    const loaded = { ...struct, typeName: struct.type_name ?? camel(struct.name), fields: loadFields(struct, names) };
    names.structs.add(struct.name);
    return loaded;
  });
  checkIds(source.messages, "messages");
  const messages = source.messages.filter((m) => !m.deleted).map((message) => ({
    ...message, errors: message.errors ?? [], typeName: message.type_name ?? camel(message.name),
    fields: [...idFields(message), ...loadFields(message, names)],
  }));
  const codes = new Set(errors.map((e) => e.name));
  for (const message of messages) {
    for (const code of message.errors) if (!codes.has(code)) fail(message.name, `unknown error ${code}`);
    if (message.reply && !messages.some((m) => m.name === message.reply)) fail(message.name, `unknown reply ${message.reply}`);
    if (!message.bytes_max || !message.since) fail(message.name, "has no bytes_max or since");
  }
  return { ...source, used, structs, messages, directions: directions(messages, source.shared ?? []) };
}
