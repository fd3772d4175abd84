// schema/openapi.json: the REST interface as an OpenAPI 3.1 document, from the same routes as the service's table.
import { camel } from "./model.mjs";

const kMax53 = 2 ** 53 - 1;
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });

function numberSchema(type, low, high, field) {
  const range = field.low === undefined ? {} : { minimum: field.low, maximum: field.high };
  return { type, ...(low === undefined ? {} : { minimum: low, maximum: high }), ...range };
}

function typeSchema(type, field) {
  switch (type.kind) {
    case "string": return { type: "string", maxLength: field.stringMax ?? 65536 };
    case "bool": return { type: "boolean" };
    case "u32": return numberSchema("integer", 0, 2 ** 32 - 1, field);
    case "u53": return numberSchema("integer", 0, kMax53, field);
    case "i53": return numberSchema("integer", -kMax53, kMax53, field);
    case "f64": return numberSchema("number", undefined, undefined, field);
    case "u64": return { type: "string", pattern: "^[0-9a-f]{16}$" };
    case "outcome": return ref("Outcome");
    case "json": return {};
    case "list": return { type: "array", items: typeSchema(type.of, field), maxItems: field.countMax };
    case "map": return { type: "object", additionalProperties: typeSchema(type.of, field), maxProperties: field.countMax };
    case "array": return { type: "array", items: typeSchema(type.of, field), minItems: type.size, maxItems: type.size };
    default: return ref(camel(type.name));
  }
}

const textOf = (field) => (field.unit ? `${field.text} [${field.unit}]` : field.text);
const fieldSchema = (field) => ({ ...typeSchema(field.type, field), description: textOf(field) });

function objectSchema(text, fields) {
  const required = fields.filter((f) => !f.optional).map((f) => f.name);
  return { type: "object", description: text, properties: Object.fromEntries(fields.map((f) => [f.name, fieldSchema(f)])), ...(required.length ? { required } : {}) };
}

// Records come as JSON lines in the protocol, and as a list here. Other payloads follow a stream as events of their own.
const kLines = { lines: { type: "array", items: { type: "object" }, description: "The records." } };

function messageSchema(message) {
  const schema = objectSchema(message.text, message.fields.filter((f) => f.id !== 0));
  if (message.payload === "JSON lines") return { ...schema, properties: { ...schema.properties, ...kLines }, required: [...(schema.required ?? []), "lines"] };
  return schema;
}

const kPayloadPiece = {
  type: "object", description: "A piece of the job's payload, in order, before its end is told.",
  properties: { offset: { type: "integer", minimum: 0, description: "Where it begins. [bytes]" }, base64: { type: "string", contentEncoding: "base64", description: "The bytes." } },
  required: ["offset", "base64"],
};
const kProblem = {
  type: "object", description: "Why there is no other reply.",
  properties: { code: ref("Outcome"), message: { type: "string", description: "One clear sentence." } }, required: ["code", "message"],
};

const json = (schema) => ({ "application/json": { schema } });

function parameters(route) {
  const one = (field, where) => {
    const plain = ["string", "enum", "bool", "u32", "u53", "i53", "u64", "f64", "outcome"].includes(field.type.kind) || (field.type.kind === "list" && field.type.of.kind === "string");
    const schema = typeSchema(field.type, field);
    return { name: field.name, in: where, required: where === "path" || !field.optional, description: textOf(field), ...(plain ? { schema } : { content: json(schema) }) };
  };
  return [...route.variables.map((f) => one(f, "path")), ...route.query.map((f) => one(f, "query"))];
}

function requestBody(route) {
  const ask = objectSchema("The message.", route.body);
  if (!route.message.payload) return { required: ask.required !== undefined, content: json(ask) };
  const parts = { type: "object", properties: { ask, payload: { description: `Bytes: ${route.message.payload}.` } }, required: ["ask"] };
  return { required: true, content: { ...json(ask), "multipart/form-data": { schema: parts, encoding: { ask: { contentType: "application/json" }, payload: { contentType: "application/octet-stream" } } } } };
}

function eventNames(route) {
  const told = [route.reply, ...route.events, ...route.ends];
  const payload = route.ends.some((m) => m.payload) ? { payload: ref("Payload") } : {};
  return { ...Object.fromEntries(told.map((m) => [m.name, ref(m.typeName)])), ...payload, error: ref("Problem") };
}

function streamContent(route) {
  const events = eventNames(route);
  const text = `Server-sent events; the data of each is JSON, of the schema that x-hone-events says: ${Object.keys(events).join(", ")}. Comments keep a quiet stream alive.`;
  return { "text/event-stream": { schema: { type: "string", description: text }, "x-hone-events": events } };
}

function operation(route) {
  const streams = route.events.length > 0;
  const content = { ...(streams ? streamContent(route) : {}), ...(!streams || route.plainIf ? json(ref(route.reply.typeName)) : {}) };
  const errors = route.message.errors.filter((e) => e !== "unauthorized").map((e) => `\`${e}\``);
  return {
    operationId: camel(route.message.name)[0].toLowerCase() + camel(route.message.name).slice(1),
    summary: route.message.text,
    ...(parameters(route).length ? { parameters: parameters(route) } : {}),
    ...(route.hasBody && route.body.length ? { requestBody: requestBody(route) } : {}),
    responses: {
      200: { description: route.reply.text, content },
      401: { $ref: "#/components/responses/Unauthorized" },
      default: { description: `Refused.${errors.length ? ` Codes: ${errors.join(", ")}.` : ""}`, content: json(ref("Problem")) },
    },
  };
}

function paths(routes) {
  const all = {};
  for (const route of routes) (all[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  return all;
}

function schemas(model, routes, errors) {
  const said = new Set(routes.flatMap((r) => [r.reply, ...r.events, ...r.ends]));
  return Object.fromEntries([
    ["Outcome", { type: "string", enum: errors.map((e) => e.name), description: "A code of schema/errors.json." }],
    ["Payload", kPayloadPiece],
    ["Problem", kProblem],
    ...model.enums.map((e) => [camel(e.name), { type: "string", enum: e.values.map((v) => v.name), description: e.text }]),
    ...model.structs.map((s) => [s.typeName, objectSchema(s.text, s.fields)]),
    ...[...said].map((m) => [m.typeName, messageSchema(m)]),
  ]);
}

// Those that something refers to, by whatever way.
function used(all, from) {
  const kept = new Set();
  const visit = (value) => {
    for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (kept.has(name)) continue;
      kept.add(name);
      visit(all[name]);
    }
  };
  visit(from);
  return Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)));
}

export function openapi(model, routes, errors) {
  const responses = { Unauthorized: { description: "The token is missing, unknown, revoked or expired.", headers: { "WWW-Authenticate": { schema: { type: "string" } } }, content: json(ref("Problem")) } };
  const body = { paths: paths(routes), responses };
  return `${JSON.stringify({
    openapi: "3.1.0",
    info: { title: "hone", version: `${model.version}`, license: { name: "Apache-2.0", identifier: "Apache-2.0" },
            description: "A farm of devices that run and tune kernels. Each request is one message of the protocol hone.v1, and is judged as that is." },
    servers: [{ url: "/api/v1" }],
    security: [{ bearer: [] }],
    paths: body.paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "A token of the service: hone tokens create." } },
      responses,
      schemas: used(schemas(model, routes, errors), body),
    },
  }, null, 1)}\n`;
}

// Of a document that is no message: a JSON Schema (2020-12) of its last struct, the whole.
export function jsonSchema(model, errors) {
  const whole = model.structs.at(-1);
  const definitions = Object.fromEntries([
    ["Outcome", { type: "string", enum: errors.map((e) => e.name), description: "A code of schema/errors.json." }],
    ...model.enums.map((e) => [camel(e.name), { type: "string", enum: e.values.map((v) => v.name), description: e.text }]),
    ...model.structs.map((s) => [s.typeName, objectSchema(s.text, s.fields)]),
  ]);
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", title: `${model.protocol} version ${model.version}`, $ref: ref(whole.typeName).$ref, $defs: definitions };
  return `${JSON.stringify(schema, null, 1).replaceAll("#/components/schemas/", "#/$defs/")}\n`;
}
