// Border: the small languages of hone. The same text is read as an operator, as a kernel in loop IR, as an expression, and as a schedule.
#include <cstddef>
#include <cstdint>

#include "codegen/arith/verify_bounds.h"
#include "codegen/graph/import.h"
#include "codegen/ir/parser.h"
#include "codegen/ir/verify.h"
#include "codegen/schedule/trace.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

constexpr size_t kOpTextBytesMax = 200;

// The path of a file is read by the program alone.
bool names_a_file(std::string_view text) { return text.find(".onnx") != std::string_view::npos; }

void read_kernel(std::string_view text) {
  const auto kernel = ir::parse_kernel(text);
  if (kernel.ok() && ir::verify(*kernel, ir::VerifyStage::kLaunched).ok()) (void)arith::verify_bounds(*kernel);
}

void read_schedule(std::string_view text) {
  const auto trace = schedule::trace_from_json(text);
  if (!trace.ok()) return;
  const auto again = schedule::trace_from_json(schedule::trace_to_json(*trace));
  CHECK(again.ok() && *again == *trace, "a schedule that was written does not read back");
}

void run(std::string_view text) {
  if (text.size() <= kOpTextBytesMax && !names_a_file(text)) (void)graph::task_from_spec(text);
  read_kernel(text);
  ir::Arena arena;
  (void)ir::parse_expr(text, arena, {});
  read_schedule(text);
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
