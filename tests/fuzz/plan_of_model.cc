#include "tests/fuzz/plan_of_model.h"

#include <cstddef>

#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/package/model_plan.h"

namespace hone::fuzz {

namespace {

constexpr size_t kModelBytesMax = 64 << 10;
constexpr int kKernelsMax = 4;  // compiled; with sanitizers each takes some 10 ms

}  // namespace

void plan_of_model(std::string_view bytes) {
  if (bytes.size() > kModelBytesMax) return;
  auto graph = graph::graph_from_onnx(bytes, {.dims = {{"N", 2}, {"batch_size", 2}}});
  if (!graph.ok() || !graph::prepare_graph(*graph).ok()) return;
  const target::Target target = target::webgpu_default();
  int kernels = 0;
  const auto kernel_of = [&](const te::Task& task) -> Result<emit::KernelSource> {
    if (++kernels > kKernelsMax) return Error{ErrorCode::kLimitExceeded, "enough kernels for one input"};
    HONE_ASSIGN(trace, baseline_trace(task, target));
    return compile_kernel(task, trace, target);
  };
  (void)package::plan_model(*graph, kernel_of);
}

}  // namespace hone::fuzz
