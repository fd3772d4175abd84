// From a model's bytes, or an op SPEC, to tuning tasks: the whole of codegen/graph behind two functions.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/shared_bytes.h"
#include "codegen/graph/graph.h"
#include "codegen/graph/prepare_graph.h"
#include "codegen/te/task.h"

namespace hone::graph {

// A part of a file beside the model's: `name` is a path below the model's folder, without "..". No length: to the file's end.
struct FilePart {
  std::string name;
  int64_t offset = 0;
  std::optional<int64_t> length;
};
using ReadFilePart = std::function<Result<SharedBytes>(const FilePart& part)>;

struct ImportOptions {
  std::map<std::string, int64_t, std::less<>> dims;  // values of symbolic dimensions (--dim NAME=N); of one without a name, under INPUT.PLACE
  std::vector<ir::DType> stored_types;               // those that the target's buffers hold; empty: any
  ir::Medium medium = ir::Medium::kBuffer;           // what holds the values of a model, or of an ONNX file, on the target
  int64_t layers_max = target::kRenderTargets;       // as Graph's
  std::map<std::string, Shape, std::less<>> shapes;  // of inputs that are given, by name: what the model and dims leave open follows from them
  std::map<std::string, ConstantTensor, std::less<>> constants;  // inputs whose contents are a part of the model: shapes, conditions and trips may follow from them
  ReadFilePart read_part;                            // of tensors that lie beside the model; unset: they are refused
  const CancelToken* cancel = nullptr;               // heard within a second; null: nobody cancels
  bool verify = false;                               // as that of GraphPassOptions
  PassNames without_passes;                          // as GraphPassOptions::without
};

struct ModelTasks {
  std::vector<te::Task> tasks;  // distinct by id, in the order of their first use
  std::vector<double> weights;  // how many fused groups of the model each task stands for
  std::string model_name;
};

// Fails: bad_model (unreadable, inconsistent, a symbolic dimension without a value), unsupported (operator, type or opset, with the node),
// limit_exceeded (limits.h, with the node), cancelled.
Result<ModelTasks> tasks_from_onnx(std::string_view bytes, const ImportOptions& options = {});

// SPEC: matmul:MxNxK, matmul:BxMxNxK, conv:NxCxHxW,OxCxRxS[,pad=][,stride=][,dilation=][,groups=], or the path of a one-node .onnx file.
// pad, stride and dilation take one number for all dimensions, or one per dimension joined by x (pad also begins and ends: 0x1x0x1 gives
// top 0, left 1, bottom 0, right 1). Fails: invalid_argument with the part that is wrong, io_error, and what tasks_from_onnx says.
Result<te::Task> task_from_spec(std::string_view spec, const ImportOptions& options = {});

}  // namespace hone::graph
