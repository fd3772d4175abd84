// The text of a native export: a C11 header with the model's inputs and outputs as types, a source with its tables, and what CMake wants to know.
#pragma once
#include <string>
#include <vector>

#include "codegen/package/native_program.h"
#include "schema/generated/manifest.h"

namespace hone::package {

struct NativeText {
  std::string name;     // a C identifier (c_text.h) that all names of the header begin with
  std::string made_by;  // "hone 0.1.0"
};

// manifest: the model's name, inputs, outputs, weights and chunks.
std::string native_header(const protocol::Manifest& manifest, const NativeText& text);
// programs: of each architecture the best first, as target::cpu_levels has them.
std::string native_source(const protocol::Manifest& manifest, const NativeText& text,
                          const std::vector<NativeProgram>& programs);
std::string native_cmake(const NativeText& text);

std::string kernels_file(const target::CpuLevel& level);  // of a level's kernels

}  // namespace hone::package
