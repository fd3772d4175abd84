#include "base/cat.h"
#include "codegen/package/c_text.h"
#include "codegen/package/native_ports.h"
#include "codegen/package/native_source.h"

namespace hone::package {

namespace {

constexpr const char* kHeader = R"(// The model @model@, exported by @made_by@. With an app.c of yours, on Linux:
//
//   cc -O2 -pthread app.c @name@.c kernels-x86_64_*.o -lm     x86-64, from x86-64-v2 on; the best kernels are chosen when it runs
//   cc -O2 -pthread app.c @name@.c kernels-aarch64.o -lm      AArch64
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Elements are row-major, `v` has the model's shape.
@types@
typedef struct {
@inputs@} @name@_inputs;

// One that is NULL is not wanted.
typedef struct {
@outputs@} @name@_outputs;

typedef struct @name@_model @name@_model;

// Reads the weights and starts the threads. weights: the folder of weights-….bin. threads: those that a run computes on, the caller's among them; 0: one
// for each processor. level: NULL for the best kernels that this processor runs, or "x86_64_v2" and the like. NULL: failed, and `error`, of error_bytes
// bytes, has a sentence that says why.
@name@_model *@name@_open(const char *weights, int threads, const char *level, char *error, size_t error_bytes);

// NULL: the outputs are written. Else a sentence that says what is wrong with the inputs, or which whole number of 64 bits left the 32 in which it is
// computed, valid until the model runs again or is closed. A model has one run at a time; several models may run at once.
const char *@name@_run(@name@_model *model, const @name@_inputs *inputs, const @name@_outputs *outputs);

// Of the kernels that run.
const char *@name@_level(const @name@_model *model);

// model: may be NULL.
void @name@_close(@name@_model *model);

#ifdef __cplusplus
}
#endif
)";

constexpr const char* kCmake =
    R"(# The model as a static library: add_subdirectory(native), then target_link_libraries(app @name@).
cmake_minimum_required(VERSION 3.13)
project(@name@ C)
find_package(Threads REQUIRED)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(kernels kernels-aarch64.o)
else()
  set(kernels kernels-x86_64_v2.o kernels-x86_64_v3.o kernels-x86_64_v4.o)
endif()
add_library(@name@ STATIC @name@.c ${kernels})
target_compile_features(@name@ PUBLIC c_std_11)
target_include_directories(@name@ PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(@name@ PUBLIC Threads::Threads m)
)";

std::string types(const std::vector<NativePort>& ports, const std::string& name, const char* what) {
  std::string out;
  for (const NativePort& port : ports)
    out += cat("typedef struct { ", port.declaration, "; } ", name, "_", port.id, ";  // the ", what, " ", port.comment,
               "\n");
  return out;
}

std::string members(const std::vector<NativePort>& ports, const std::string& name, const char* qualifier) {
  if (ports.empty()) return "  char none;\n";
  std::string out;
  for (const NativePort& port : ports) out += cat("  ", qualifier, name, "_", port.id, " *", port.id, ";\n");
  return out;
}

}  // namespace

std::string native_header(const protocol::Manifest& manifest, const NativeText& text) {
  const NativePorts ports = native_ports(manifest);
  return filled(kHeader,
                {{"model", c_string(manifest.model)},
                 {"made_by", text.made_by},
                 {"name", text.name},
                 {"types", types(ports.inputs, text.name, "input") + types(ports.outputs, text.name, "output")},
                 {"inputs", members(ports.inputs, text.name, "const ")},
                 {"outputs", members(ports.outputs, text.name, "")}});
}

std::string native_cmake(const NativeText& text) { return filled(kCmake, {{"name", text.name}}); }

std::string kernels_file(const target::CpuLevel& level) { return cat("kernels-", level.name, ".o"); }

}  // namespace hone::package
