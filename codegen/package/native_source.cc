#include "codegen/package/native_source.h"

#include "base/cat.h"
#include "codegen/package/c_text.h"
#include "codegen/package/native_ports.h"

namespace hone::package {

namespace {

// The arrays of a run end with NULL, so that they have an element.
constexpr const char* kSource = R"(// The model @model@, exported by @made_by@; @name@.h says how it is used.
#define _POSIX_C_SOURCE 200809L
#include @header@

#include @runtime@

@inputs@@outputs@@weights@@chunks@@watched@
#if defined(__x86_64__)
@x86_64@
#elif defined(__aarch64__)
@aarch64@
#endif

static const hone_program program = {
    inputs, outputs, weights, @input_count@, @output_count@, chunks, @chunk_count@, plans, sizeof plans / sizeof *plans,
    watched, @watched_count@,
};

@name@_model *@name@_open(const char *folder, int threads, const char *level, char *error, size_t error_bytes) {
  return (@name@_model *)hone_open(&program, folder, threads, level, error, error_bytes);
}

const char *@name@_run(@name@_model *model, const @name@_inputs *in, const @name@_outputs *out) {
  const void *const values[] = {@values@};
  void *const results[] = {@results@};
  (void)in, (void)out;
  return hone_run((hone_model *)model, values, results);
}

const char *@name@_level(const @name@_model *model) { return ((const hone_model *)model)->plan->level; }

void @name@_close(@name@_model *model) { hone_close((hone_model *)model); }
)";

// static const TYPE NAME[] = { row, … }; C knows no arrays without elements, so that an empty one has `none`.
std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& rows,
                  const char* none) {
  std::string out = cat("static const ", type, " ", name, "[] = {\n");
  for (const std::string& row : rows) out += cat("    ", row, ",\n");
  if (rows.empty()) out += cat("    ", none, ",\n");
  return out + "};\n";
}

constexpr const char* kNoTensor = "{NULL, HONE_F32, 0, NULL, 0}";
constexpr const char* kNoPlace = "{0, 0, 0, NULL}";

std::vector<std::string> rows_of(const std::vector<NativePort>& ports) {
  std::vector<std::string> out;
  for (const NativePort& port : ports) out.push_back(port.row);
  return out;
}

std::vector<std::string> rows_of(const std::vector<protocol::Weight>& weights) {
  std::vector<std::string> out;
  for (const protocol::Weight& w : weights) out.push_back(tensor_row("NULL", w.dtype, w.shape, w.offset));
  return out;
}

std::vector<std::string> rows_of(const std::vector<protocol::Asset>& chunks) {
  std::vector<std::string> out;
  for (const protocol::Asset& chunk : chunks) {
    std::string digest;
    for (size_t i = 0; i + 1 < chunk.sha256.size(); i += 2)
      digest += cat(i ? ", " : "", "0x", chunk.sha256.substr(i, 2));
    out.push_back(cat("{", c_string(chunk.file), ", ", chunk.bytes, ", {", digest, "}}"));
  }
  return out;
}

std::vector<std::string> rows_of(const std::vector<NativeProgram::Place>& places) {
  std::vector<std::string> out;
  for (const NativeProgram::Place& place : places) {
    std::string dims;
    for (const ir::PhysicalDim& dim : place.layout.dims)
      dims += cat(dims.empty() ? "" : ", ", "{", dim.axis, ", ", dim.div, ", ", dim.size, "}");
    out.push_back(cat("{", place.tensor, ", ", place.at, ", ", place.layout.dims.size(), ", ",
                      dims.empty() ? "NULL" : cat("(const hone_dim[]){", dims, "}"), "}"));
  }
  return out;
}

std::vector<std::string> rows_of(const std::vector<NativeProgram::Loop>& loops) {
  std::vector<std::string> out;
  for (const NativeProgram::Loop& loop : loops) out.push_back(cat("{", loop.first, ", ", loop.last, ", ", loop.trips, ", ", loop.condition, "}"));
  return out;
}

// The tables of one level, whose names begin with the level's.
std::string tables(const NativeProgram& program) {
  const std::string level(program.level.name);
  std::string entries;
  std::vector<std::string> launches, args;
  size_t first = 0;
  std::set<std::string> declared;
  for (const NativeProgram::Launch& launch : program.launches) {
    if (declared.insert(launch.symbol).second) entries += cat("hone_entry ", launch.symbol, ";\n");
    std::string row;
    for (int64_t at : launch.args) row += cat(at, ", ");
    args.push_back(row + "0");  // of the scratch memory
    launches.push_back(cat("{", launch.symbol, ", ", launch.extent, ", ", first, ", ", launch.args.size() + 1, "}"));
    first += launch.args.size() + 1;
  }
  return cat("\n", entries, table("hone_launch", level + "_launches", launches, "{NULL, 0, 0, 0}"),
             table("hone_loop", level + "_loops", rows_of(program.loops), "{0, 0, 0, 0}"),
             table("size_t", level + "_args", args, "0"),
             table("hone_place", level + "_weights", rows_of(program.weights), kNoPlace),
             table("hone_place", level + "_inputs", rows_of(program.inputs), kNoPlace),
             table("hone_place", level + "_outputs", rows_of(program.outputs), kNoPlace));
}

std::string plan_row(const NativeProgram& program) {
  const std::string level(program.level.name);
  size_t args = 0;
  for (const NativeProgram::Launch& launch : program.launches) args += launch.args.size() + 1;
  return cat("{\"", level, "\", hone_has_", level, ",\n     ", level, "_launches, ", program.launches.size(), ", ", level, "_loops, ", program.loops.size(), ",\n     ",
             level, "_args, ", args, ",\n     ", level, "_weights, ", level, "_inputs, ", level, "_outputs, ",
             program.weights.size(), ", ", program.inputs.size(), ", ", program.outputs.size(), ",\n     ",
             program.memory_bytes, ", ", program.scratch_bytes, ", ", program.reach_bytes, "}");
}

// All levels of an architecture.
std::string plans(const std::vector<NativeProgram>& programs, std::string_view architecture) {
  std::string out;
  std::vector<std::string> rows;
  for (const NativeProgram& program : programs) {
    if (program.level.architecture != architecture) continue;
    out += tables(program);
    rows.push_back(plan_row(program));
  }
  return cat(out, "\n", table("hone_plan", "plans", rows, ""));
}

// Of the last output, which tells of them; none where it does not.
std::vector<std::string> watched_of(const protocol::Manifest& manifest) {
  std::vector<std::string> out;
  if (manifest.outputs.empty() || !manifest.outputs.back().watched) return out;
  for (const std::string& name : *manifest.outputs.back().watched) out.push_back(c_string(name));
  return out;
}

std::string members(const std::vector<NativePort>& ports, const char* structure) {
  std::string out;
  for (const NativePort& port : ports) out += cat(structure, "->", port.id, ", ");
  return out + "NULL";
}

}  // namespace

std::string native_source(const protocol::Manifest& manifest, const NativeText& text,
                          const std::vector<NativeProgram>& programs) {
  const NativePorts ports = native_ports(manifest);
  return filled(kSource, {{"model", c_string(manifest.model)},
                          {"made_by", text.made_by},
                          {"name", text.name},
                          {"header", cat("\"", text.name, ".h\"")},
                          {"runtime", "\"runtime/hone_model.h\""},
                          {"inputs", table("hone_tensor", "inputs", rows_of(ports.inputs), kNoTensor)},
                          {"outputs", table("hone_tensor", "outputs", rows_of(ports.outputs), kNoTensor)},
                          {"weights", table("hone_tensor", "weights", rows_of(manifest.weights), kNoTensor)},
                          {"chunks", table("hone_chunk", "chunks", rows_of(manifest.chunks), "{NULL, 0, {0}}")},
                          {"watched", table("char *const", "watched", watched_of(manifest), "NULL")},
                          {"watched_count", cat(watched_of(manifest).size())},
                          {"x86_64", plans(programs, "x86_64")},
                          {"aarch64", plans(programs, "aarch64")},
                          {"input_count", cat(ports.inputs.size())},
                          {"output_count", cat(ports.outputs.size())},
                          {"chunk_count", cat(manifest.chunks.size())},
                          {"values", members(ports.inputs, "in")},
                          {"results", members(ports.outputs, "out")}});
}

}  // namespace hone::package
