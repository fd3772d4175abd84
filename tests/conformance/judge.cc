#include "tests/conformance/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/ir/interpreter.h"
#include "codegen/ir/numeric.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/evaluate.h"

namespace hone::conformance {
namespace {

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

double element(const ir::TensorValue& value, size_t i) {
  return ir::is_float(value.dtype) ? value.real[i] : static_cast<double>(value.whole[i]);
}

std::vector<double> elements(const ir::TensorValue& value) {
  std::vector<double> out;
  for (size_t i = 0; i < value.size(); ++i) out.push_back(element(value, i));
  return out;
}

std::vector<ir::TensorValue> interpreted(const Subject& subject) {
  const te::Program& program = subject.task.program;
  std::vector<ir::TensorValue> outputs;
  for (te::Tensor t : program.outputs) outputs.push_back(ir::make_tensor(t->dtype, t->shape));
  if (std::all_of(outputs.begin(), outputs.end(), [](const auto& o) { return o.size() == 0; })) return outputs;
  const target::Target target = target::wasm_default();
  const auto kernel = lower::lower_kernel(subject.task, baseline_trace(subject.task, target).value(), target);
  CHECK(kernel.ok(), cat(subject.name, ": ", kernel.error().message));
  std::vector<ir::TensorValue> args;
  const std::vector<ir::TensorValue>* const both[] = {&subject.values.args, &outputs};
  for (const auto* list : both)
    for (const ir::TensorValue& value : *list) args.push_back(ir::to_physical(value, kernel->arg_layouts[args.size()]));
  const Status status = ir::interpret(*kernel, args);
  CHECK(status.ok(), cat(subject.name, ": ", status.error().message));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t at = program.inputs.size() + i;
    outputs[i] = ir::from_physical(args[at], outputs[i].shape, kernel->arg_layouts[at]);
  }
  return outputs;
}

double largest(const std::vector<ir::TensorValue>& values) {
  double range = 0;
  for (const ir::TensorValue& value : values)
    for (double v : value.real) range = std::isfinite(v) ? std::max(range, std::fabs(v)) : range;
  return range;
}

// Below the smallest normal number results keep no relative precision.
Tolerance tolerance_of(Match match, double range) {
  if (match == Match::kRounded) return {.absolute = 2e-5 * std::max<double>(range, std::numeric_limits<float>::min())};
  return {.sign_of_zero = match == Match::kBits};
}

bool is_ordinary(const ir::TensorValue& value) {
  return std::all_of(value.real.begin(), value.real.end(),
                     [](double v) { return std::isfinite(v) && (v == 0 || std::fabs(v) > 1e-30); });
}

// Loosely: near a pole or where terms cancel f64 and f32 part.
void check_definition(const Subject& subject, const std::vector<ir::TensorValue>& outputs) {
  if (!std::all_of(subject.values.args.begin(), subject.values.args.end(), is_ordinary)) return;
  std::vector<std::vector<double>> inputs;
  for (const ir::TensorValue& value : subject.values.args) inputs.push_back(elements(value));
  const double range = largest(outputs);
  const auto defined = te::evaluate(subject.task.program, inputs);
  for (size_t o = 0; o < outputs.size(); ++o)
    for (size_t i = 0; i < outputs[o].size(); ++i) {
      const double expected = defined[o][i], found = element(outputs[o], i);
      const bool same = expected == found || (std::isnan(expected) && std::isnan(found)) ||
                        std::fabs(expected - found) <= 1e-4 * range;
      CHECK(same, cat(subject.name, ": output ", o, " element ", i, " is ", digits(found), " by the interpreter, ",
                      digits(expected), " by the definition"));
    }
}

bool differs(double found, double expected, const Tolerance& t) {
  if (std::isnan(expected)) return !std::isnan(found) && !t.any_for_nan;
  if (found == expected) return t.sign_of_zero && std::signbit(found) != std::signbit(expected);
  return std::isinf(expected) || !(std::fabs(found - expected) <= t.absolute + t.relative * std::fabs(expected));
}

}  // namespace

void judge(Subject& subject, const Operator& op) {
  std::vector<ir::TensorValue> outputs = interpreted(subject);
  check_definition(subject, outputs);
  subject.values.tolerance = tolerance_of(op.match, largest(outputs));
  for (ir::TensorValue& output : outputs) subject.values.args.push_back(std::move(output));
}

std::string difference(const ir::TensorValue& expected, const unsigned char* found, const Tolerance& tolerance) {
  const auto size = static_cast<size_t>(ir::size_bytes(expected.dtype));
  for (size_t i = 0; i < expected.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, found + i * size, size);
    const ir::Cell cell = ir::cell_of_bits(expected.dtype, bits);
    const bool wrong = ir::is_float(expected.dtype) ? differs(cell.real, expected.real[i], tolerance)
                                                    : cell.whole != expected.whole[i];
    if (wrong)
      return cat("element ", i, " is ",
                 digits(ir::is_float(expected.dtype) ? cell.real : static_cast<double>(cell.whole)), ", expected ",
                 digits(element(expected, i)));
  }
  return "";
}

std::string stored_difference(const ir::TensorValue& expected, std::string_view stored, const ir::Layout& layout,
                              const Tolerance& tolerance) {
  const auto size = static_cast<size_t>(ir::size_bytes(expected.dtype));
  ir::TensorValue physical = ir::make_tensor(ir::DType::kI64, ir::physical_shape(expected.shape, layout));
  for (size_t i = 0; i < physical.size(); ++i) std::memcpy(&physical.whole[i], stored.data() + i * size, size);
  std::string logical;
  for (int64_t bits : ir::from_physical(physical, expected.shape, layout).whole)
    logical.append(reinterpret_cast<const char*>(&bits), size);
  return difference(expected, reinterpret_cast<const unsigned char*>(logical.data()), tolerance);
}

}  // namespace hone::conformance
