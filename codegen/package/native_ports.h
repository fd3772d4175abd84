// The inputs and outputs of a model as C knows them.
#pragma once
#include <string>
#include <vector>

#include "schema/generated/manifest.h"

namespace hone::package {

struct NativePort {
  std::string id;           // member of the structures, and end of the type's name
  std::string declaration;  // "float v[1][3][224][224]"
  std::string comment;      // "f32 [1, 3, 224, 224]", behind the model's name as a string
  std::string row;          // of the table: a hone_tensor's first fields
};

struct NativePorts {
  std::vector<NativePort> inputs, outputs;
};

NativePorts native_ports(const protocol::Manifest& manifest);

// {"name", HONE_F32, 2, (const int64_t[]){3, 4}, 0}; name: a string literal, or NULL.
std::string tensor_row(const std::string& name, const std::string& dtype, const std::vector<uint64_t>& shape,
                       uint64_t offset);

}  // namespace hone::package
