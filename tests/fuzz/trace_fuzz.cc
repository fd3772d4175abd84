// Border: schedules that records bring, as `hone compile --trace` and a job that runs a model take them. The first line is a kind of target, the
// second an operator, the rest a schedule as JSON; the operator is compiled by it. Without a schedule: by the one that is always legal.
#include <cstddef>
#include <cstdint>
#include <string>

#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/target/target.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

constexpr size_t kOpTextBytesMax = 60;

Result<te::Task> task_for(target::Kind kind, std::string_view spec) {
  graph::ImportOptions options;
  options.stored_types = target::stored_types(kind);
  options.medium = target::stored_in(kind);
  return graph::task_from_spec(spec, options);
}

void run(std::string_view text) {
  const auto kind = target::parse_kind(fuzz::take_line(text));
  const std::string_view spec = fuzz::take_line(text);
  // The path of a file is read by the program alone.
  if (!kind || spec.size() > kOpTextBytesMax || spec.find(".onnx") != std::string_view::npos) return;
  const auto task = task_for(*kind, spec);
  if (!task.ok()) return;
  const target::Target target = target::default_target(*kind);
  const auto trace = text.empty() ? baseline_trace(*task, target) : schedule::trace_from_json(text);
  if (trace.ok()) (void)compile_kernel(*task, *trace, target);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
