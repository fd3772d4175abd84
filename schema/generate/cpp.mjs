// C++ from the model: error_code.h, error_text.h, protocol.h, protocol.cc, manifest.h, manifest.cc.
import { camel, kName } from "./model.mjs";

const banner = (from) => `// Generated from schema/${from} by scripts/gen_schema. Do not edit.\n`;

// Apart from the codes, so that a reworded sentence rebuilds its few users alone.
export function cppErrorTexts(errors) {
  const cases = errors.map((e) => `    case ErrorCode::${kName(e.name)}: return ${JSON.stringify(e.text)};`);
  return `${banner("errors.json")}#pragma once
#include "schema/generated/error_code.h"

namespace hone {

// What a code means, as in schema/errors.json, in one sentence for people.
constexpr std::string_view error_text(ErrorCode code) {
  switch (code) {
${cases.join("\n")}
  }
  return "unknown";
}

}  // namespace hone
`;
}

export function cppErrors(errors) {
  const values = errors.map((e) => `  ${kName(e.name)} = ${e.id},  // ${e.text}`);
  const cases = errors.map((e) => `    case ErrorCode::${kName(e.name)}: return "${e.name}";`);
  const tests = errors.map((e) => `  if (name == "${e.name}") return ErrorCode::${kName(e.name)};`);
  return `${banner("errors.json")}#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace hone {

enum class ErrorCode : uint16_t {
${values.join("\n")}
};

// The name of a code as in schema/errors.json; "unknown" for a number that is no code.
constexpr std::string_view error_name(ErrorCode code) {
  switch (code) {
${cases.join("\n")}
  }
  return "unknown";
}

// The code of a name; empty for a name that is no code's.
constexpr std::optional<ErrorCode> error_from_name(std::string_view name) {
${tests.join("\n")}
  return std::nullopt;
}

}  // namespace hone
`;
}

const kScalarTypes = { string: "std::string", bool: "bool", u32: "uint32_t", u53: "uint64_t", i53: "int64_t", u64: "uint64_t",
                       f64: "double", outcome: "ErrorCode", json: "nlohmann::json" };
const kDefaults = { bool: " = false", u32: " = 0", u53: " = 0", i53: " = 0", u64: " = 0", f64: " = 0", outcome: " = ErrorCode::kOk" };

function cppType(type) {
  switch (type.kind) {
    case "list": return `std::vector<${cppType(type.of)}>`;
    case "map": return `std::map<std::string, ${cppType(type.of)}>`;
    case "array": return `std::array<${cppType(type.of)}, ${type.size}>`;
    case "enum": case "struct": return camel(type.name);
    default: return kScalarTypes[type.kind];
  }
}

function cppField(field) {
  const comment = `  // ${field.unit ? `[${field.unit}] ` : ""}${field.text}`;
  if (field.optional) return `  std::optional<${cppType(field.type)}> ${field.name};${comment}`;
  const initial = kDefaults[field.type.kind] ?? (field.type.kind === "string" ? "" : "{}");
  return `  ${cppType(field.type)} ${field.name}${initial};${comment}`;
}

function cppEnum(e) {
  const values = e.values.map((v) => `  ${kName(v.name)},  // ${v.text}`);
  return `// ${e.text}\nenum class ${camel(e.name)} : uint8_t {\n${values.join("\n")}\n};\n` +
    `std::string_view to_name(${camel(e.name)} value);\nbool from_name(std::string_view name, ${camel(e.name)}& value);\n`;
}

function cppStruct(owner, isMessage) {
  const head = isMessage
    ? [`  static constexpr std::string_view kKind = "${owner.name}";`, `  static constexpr size_t kBytesMax = ${owner.bytes_max};`]
    : [`  static constexpr std::string_view kKind = "${owner.name}";`];
  const where = isMessage && owner.socket !== "any" ? ` ${camel(owner.socket)} socket, ${owner.from} to ${owner.to}.` : "";
  return `// ${owner.text}${where}\nstruct ${owner.typeName} {\n${[...head, ...owner.fields.map(cppField)].join("\n")}\n};\n`;
}

const cppLimits = (model) => model.limits.map((l) => `inline constexpr size_t ${kName(l.name)} = ${l.value};  // [${l.unit}] ${l.text}`).join("\n");

// manifest.h stands on protocol.h: the same namespace, codecs and a few structs.
// Of a document that is no message: "manifest", "bench_report".
export function cppDocumentHeader(model, from) {
  const types = model.structs.map((t) => t.typeName);
  return `${banner(`${from}.json`)}#pragma once
#include "schema/generated/protocol.h"

namespace hone::protocol {

inline constexpr std::string_view ${kName(from)}Format = "${model.protocol}";
inline constexpr uint32_t ${kName(from)}Version = ${model.version};
${cppLimits(model)}

${model.enums.map(cppEnum).join("\n")}
${model.structs.map((s) => cppStruct(s, false)).join("\n")}
${types.map((t) => `nlohmann::json to_json(const ${t}& value);`).join("\n")}
${types.map((t) => `template <>\nResult<${t}> from_json<${t}>(const nlohmann::json& json);`).join("\n")}

}  // namespace hone::protocol
`;
}

export function cppHeader(model) {
  const types = [...model.structs, ...model.messages].map((t) => t.typeName);
  const unions = model.directions.map((d) => `using ${d.name} = std::variant<${d.messages.map((m) => m.typeName).join(", ")}>;`);
  return `${banner("protocol.json")}#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "schema/generated/error_code.h"

namespace hone::protocol {

inline constexpr std::string_view kProtocolName = "${model.protocol}";
inline constexpr uint32_t kProtocolVersion = ${model.version};
${cppLimits(model)}

${model.enums.map(cppEnum).join("\n")}
${model.structs.map((s) => cppStruct(s, false)).join("\n")}
${model.messages.map((m) => cppStruct(m, true)).join("\n")}
// What one side may send on one socket.
${unions.join("\n")}

// The JSON form. A double that is not finite is written as 1e308 with its sign (NaN: without), for JSON has no such number.
${types.map((t) => `nlohmann::json to_json(const ${t}& value);`).join("\n")}

// The value of a JSON form; kProtocolError names the field that is missing, of a wrong type or beyond its limit. Unknown fields are ignored.
template <class T>
Result<T> from_json(const nlohmann::json& json);
${types.map((t) => `template <>\nResult<${t}> from_json<${t}>(const nlohmann::json& json);`).join("\n")}

}  // namespace hone::protocol
`;
}

function cppEnumSource(e) {
  const type = camel(e.name);
  const cases = e.values.map((v) => `    case ${type}::${kName(v.name)}: return "${v.name}";`);
  const tests = e.values.map((v) => `  if (name == "${v.name}") return value = ${type}::${kName(v.name)}, true;`);
  return `std::string_view to_name(${type} value) {\n  switch (value) {\n${cases.join("\n")}\n  }\n  return "unknown";\n}\n` +
    `bool from_name(std::string_view name, ${type}& value) {\n${tests.join("\n")}\n  return false;\n}\n`;
}

function cppRead(field) {
  if (field.type.kind === "u64") return `  reader.hex("${field.name}", value.${field.name});`;
  const verb = field.optional ? "optional" : "required";
  const range = field.low === undefined ? "" : `, ${field.low}, ${field.high}`;
  const limit = field.countMax === undefined ? "{}" : `{${field.countMax}, ${field.stringMax}${range}}`;
  return `  reader.${verb}("${field.name}", value.${field.name}, ${limit});`;
}

function cppWrite(field) {
  if (field.type.kind === "u64") return `  json["${field.name}"] = hex_text(value.${field.name});`;
  if (field.optional) return `  if (value.${field.name}) json["${field.name}"] = write(*value.${field.name});`;
  return `  json["${field.name}"] = write(value.${field.name});`;
}

function cppCodec(owner, isMessage) {
  const reads = owner.fields.map(cppRead);
  const kind = isMessage ? [`  json["kind"] = ${owner.typeName}::kKind;`] : [];
  const unused = owner.fields.length === 0 ? "[[maybe_unused]] " : "";
  return `nlohmann::json to_json(${unused}const ${owner.typeName}& value) {
  nlohmann::json json = nlohmann::json::object();
${[...kind, ...owner.fields.map(cppWrite)].join("\n")}
  return json;
}
bool read_fields(const nlohmann::json& json, ${unused}${owner.typeName}& value, std::string& error) {
  FieldReader reader(json, error);
${reads.join("\n")}
  return reader.ok();
}
template <>
Result<${owner.typeName}> from_json<${owner.typeName}>(const nlohmann::json& json) {
  return read_value<${owner.typeName}>(json);
}
`;
}

// Declared before json_fields.h, whose templates call them.
function cppCodecs(model, from) {
  const types = [...model.used, ...model.structs, ...model.messages].map((t) => t.typeName);
  return `${banner(`${from}.json`)}#include "schema/generated/${from}.h"

namespace hone::protocol {
${types.map((t) => `bool read_fields(const nlohmann::json& json, ${t}& value, std::string& error);`).join("\n")}
}  // namespace hone::protocol

#include "schema/json_fields.h"

namespace hone::protocol {

${model.enums.map(cppEnumSource).join("\n")}
${[...model.structs.map((s) => cppCodec(s, false)), ...model.messages.map((m) => cppCodec(m, true))].join("\n")}
}  // namespace hone::protocol
`;
}

export const cppSource = (model) => cppCodecs(model, "protocol");
export const cppDocumentSource = (model, from) => cppCodecs(model, from);
