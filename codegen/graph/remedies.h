// What messages about a model advise: commands of Python's package onnx, which every exporter brings, as one line for a shell. The person puts
// the model's own name in.
#pragma once
#include <string_view>

namespace hone::graph {

// The same model in another opset.
inline constexpr std::string_view kConvertOpset =
    R"sh(python3 -c "import onnx, onnx.version_converter as c; onnx.save(c.convert_version(onnx.load('model.onnx'), 17), 'model_17.onnx')")sh";
// Tensors of other files moved into the model's.
inline constexpr std::string_view kSaveInOneFile =
    R"sh(python3 -c "import onnx; onnx.save(onnx.load('model.onnx'), 'model_one_file.onnx', save_as_external_data=False)")sh";

}  // namespace hone::graph
