// Models whose tensors lie in files beside the model's own (ONNX's external data), as exporters write those of more than 2 GB.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace hone::graph {

// A part of a file beside the model's: `name` is a path below the model's folder, without "..". No length: to the file's end.
struct FilePart {
  std::string name;
  int64_t offset = 0;
  std::optional<int64_t> length;
};
using ReadFilePart = std::function<Result<std::string>(const FilePart& part)>;

// The same model with all tensors' elements inside; a model that has them there already comes back as it is, and so do bytes that are no model.
// Fails: bad_model (a path that leads elsewhere, a part that is no part), limit_exceeded (more than an ONNX file may have), and what `read` says.
Result<std::string> with_elements_inside(std::string bytes, const ReadFilePart& read);

}  // namespace hone::graph
