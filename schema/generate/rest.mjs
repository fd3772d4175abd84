// The REST interface from the model: which client message each route stands for. C++: rest_routes.{h,cc}. openapi.mjs describes the same routes.
const kBodies = ["POST", "PUT"];

function fail(where, what) {
  throw new Error(`schema: ${where}: ${what}`);
}

const variablesOf = (path) => [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);

function loadRoute(message, model) {
  const [method, path] = message.http.route.split(" ");
  const fields = message.fields.filter((field) => field.id !== 0);
  const variables = variablesOf(path);
  for (const name of variables) if (!fields.some((f) => f.name === name)) fail(message.name, `no field for {${name}}`);
  const messageNamed = (name) => model.messages.find((m) => m.name === name) ?? fail(message.name, `unknown message ${name}`);
  const rest = fields.filter((field) => !variables.includes(field.name));
  const hasBody = kBodies.includes(method);
  return {
    message, method, path, hasBody,
    variables: fields.filter((field) => variables.includes(field.name)),
    query: hasBody ? [] : rest,
    body: hasBody ? rest : [],
    reply: messageNamed(message.reply),
    events: (message.http.events ?? []).map(messageNamed),
    ends: (message.http.ends ?? []).map(messageNamed),
    plainIf: message.http.plain_if ?? "",
  };
}

export const loadRoutes = (model) => model.messages.filter((m) => m.http).map((m) => loadRoute(m, model));

// How a query's text becomes a field's value.
function readAs(field) {
  switch (field.type.kind) {
    case "string": case "enum": case "u64": case "outcome": return "kString";
    case "bool": return "kBool";
    case "u32": case "u53": case "i53": case "f64": return "kNumber";
    case "list": return field.type.of.kind === "string" ? "kStrings" : "kJson";
    default: return "kJson";
  }
}

const names = (messages) => `{${messages.map((m) => `"${m.name}"`).join(", ")}}`;

function cppRoute(route) {
  const query = route.query.map((field) => `{"${field.name}", ReadAs::${readAs(field)}}`);
  return `    {.method = "${route.method}",
     .path = "${route.path}",
     .kind = "${route.message.name}",
     .query = {${query.join(", ")}},
     .has_body = ${route.hasBody},
     .has_payload = ${Boolean(route.message.payload)},
     .bytes_max = ${route.message.bytes_max},
     .reply = "${route.reply.name}",
     .events = ${names(route.events)},
     .ends = ${names(route.ends)},
     .plain_if = "${route.plainIf}"},`;
}

const banner = "// Generated from schema/protocol.json and schema/errors.json by scripts/gen_schema. Do not edit.\n";

export const restHeader = () => `${banner}#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schema/generated/error_code.h"

namespace hone::protocol {

// How the text of a query's argument becomes a field's value: as it is; as a number; true or false; as one of several; as JSON.
enum class ReadAs : uint8_t { kString, kNumber, kBool, kStrings, kJson };

struct QueryField {
  std::string_view name;
  ReadAs read_as = ReadAs::kString;
};

// One message of a client as an HTTP request. What stands in braces in the path is a field; further fields are in the query, or in a body of JSON.
struct RestRoute {
  std::string_view method;
  std::string_view path;  // "/devices/{device_id}"
  std::string_view kind;  // of the message
  std::vector<QueryField> query;
  bool has_body = false;
  bool has_payload = false;  // the message may have one
  size_t bytes_max = 0;      // of the message
  std::string_view reply;    // the kind of the message that answers it
  std::vector<std::string_view> events, ends;  // kinds of what follows the reply, those that are the last, too
  std::string_view plain_if;  // a field of the body, which is a bool: where it is true, nothing follows the reply
};

inline constexpr std::string_view kRestPrefix = "/api/v1";
const std::vector<RestRoute>& rest_routes();

// Of a reply that says this code.
int http_status(ErrorCode code);

// The OpenAPI document, as JSON.
std::string_view openapi_text();

}  // namespace hone::protocol
`;

export function restSource(routes, errors, openapi) {
  const cases = errors.filter((e) => e.http).map((e) => `    case ErrorCode::k${e.name.split("_").map((w) => w[0].toUpperCase() + w.slice(1)).join("")}: return ${e.http};`);
  // A compiler need not take a literal of more than 64 KiB (C++20, Annex B).
  const pieces = openapi.match(/[^]{1,16000}/g).map((piece) => `R"openapi(${piece})openapi"`);
  return `${banner}#include "schema/generated/rest_routes.h"

#include <string>

namespace hone::protocol {

const std::vector<RestRoute>& rest_routes() {
  static const std::vector<RestRoute> routes{
${routes.map(cppRoute).join("\n")}
  };
  return routes;
}

int http_status(ErrorCode code) {
  switch (code) {
${cases.join("\n")}
    default: return 500;
  }
}

std::string_view openapi_text() {
  static const std::string text = [] {
    std::string whole;
    for (const char* piece : {
${pieces.join(",\n")}})
      whole += piece;
    return whole;
  }();
  return text;
}

}  // namespace hone::protocol
`;
}
