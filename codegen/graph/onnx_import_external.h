// Models whose tensors lie in files beside the model's own (ONNX's external data), as exporters write those of more than 2 GB.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_model.h"

namespace hone::graph {

// Where the elements of an external tensor lie. Fails: bad_model (a path that leads elsewhere, a part that is no part).
Result<FilePart> part_of(const OnnxTensor& t);

// The same model with all tensors' elements inside, for whoever has no folder. Bytes that are no model come back as they are. Fails: as part_of;
// limit_exceeded (more than one ONNX file may have), and what `read` says.
Result<std::string> with_elements_inside(std::string_view bytes, const ReadFilePart& read);

}  // namespace hone::graph
