// A reference as bytes: for the file that keeps it, and from the process that computes it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "codegen/emit/llvm/reference.h"

namespace hone::server {

std::string reference_to_bytes(const emit::Reference& reference);
// Null when the bytes are damaged, or no reference of this program: each set has the elements of its outputs' shapes.
std::optional<emit::Reference> reference_from_bytes(std::string_view bytes, const te::Program& program);

}  // namespace hone::server
