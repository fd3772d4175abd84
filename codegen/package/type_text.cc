#include "codegen/package/type_text.h"

#include <algorithm>

#include "base/cat.h"

namespace hone::package {

namespace {

using Values = std::vector<protocol::ModelValue>;

// How callers hold elements; numbers that JavaScript has no array of are held as 32-bit floats.
std::string array_type(const std::string& dtype) {
  constexpr std::pair<const char*, const char*> kArrays[] = {
      {"i8", "Int8Array"},   {"u8", "Uint8Array"},   {"bool", "Uint8Array"},    {"i16", "Int16Array"},
      {"u16", "Uint16Array"}, {"i32", "Int32Array"}, {"u32", "Uint32Array"},    {"i64", "BigInt64Array"},
      {"u64", "BigUint64Array"}};
  const auto found = std::find_if(std::begin(kArrays), std::end(kArrays), [&](const auto& row) { return dtype == row.first; });
  return found == std::end(kArrays) ? "Float32Array" : found->second;
}

std::string shape_text(const std::vector<uint64_t>& shape) {
  std::string out;
  for (uint64_t extent : shape) out += cat(out.empty() ? "" : ", ", extent);
  return cat("[", out, "]");
}

// A name within a comment or a string of TypeScript: JSON's escapes, and none of what ends a comment.
std::string quoted(const std::string& name) {
  std::string text = nlohmann::json(name).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;) text.replace(at, 2, "*\\u002f");
  return text;
}

// suffix: what else may stand for the array.
std::string fields(const Values& values, const char* suffix) {
  std::string out;
  for (const protocol::ModelValue& v : values)
    out += cat("  /** ", v.dtype, " ", shape_text(v.shape), ", row-major", v.lengths ? "; at most: a run tells its size" : "", " */\n  readonly ", quoted(v.name), ": ", array_type(v.dtype), suffix, ";\n");
  return out;
}

}  // namespace

std::string declarations(const protocol::Manifest& manifest) {
  return cat("// The model ", quoted(manifest.model), ", exported by ", manifest.made_by, R"(.
import type { LoadOptions, Model as AnyModel } from './runtime.js';
export { PackageError } from './runtime.js';
export type { Backend, Description, LoadOptions, ModelValue, Progress, Used } from './runtime.js';

/** What run() takes; buffers are those of the device that load() was given. */
export type Inputs = {
)",
             fields(manifest.inputs, " | GPUBuffer"), R"(};

/** What run() gives. */
export type Outputs = {
)",
             fields(manifest.outputs, ""), R"(};

export interface Model extends Omit<AnyModel, 'run'> {
  /** Several runs may be asked for at once; they run in order. */
  run(inputs: Inputs, options: { readonly outputs: 'gpu' }): Promise<{ readonly [name in keyof Outputs]: GPUBuffer }>;
  run(inputs: Inputs, options?: { readonly outputs?: 'arrays' }): Promise<Outputs>;
}

/** url: the package's folder; without one, that of this module. Nothing half-loaded stays. */
export declare function load(url?: string | URL, options?: LoadOptions): Promise<Model>;
)");
}

std::string package_json(const protocol::Manifest& manifest, const std::string& name) {
  const nlohmann::ordered_json out = {{"name", name},
                                      {"version", "1.0.0"},
                                      {"description", cat("The model ", manifest.model, ", exported by ", manifest.made_by)},
                                      {"private", true},
                                      {"type", "module"},
                                      {"main", "./index.js"},
                                      {"types", "./index.d.ts"},
                                      {"sideEffects", false}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace hone::package
