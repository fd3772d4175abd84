// Every task that ONNX's backend tests give (Debian: libonnx-testdata), lowered by the schedule naive-v1 through all passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/cat.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/ir/interpreter.h"
#include "codegen/lower/pipeline.h"
#include "codegen/te/evaluate.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
constexpr double kFlopsMax = 2e5;  // the interpreter is slow

std::vector<double> numbers(const ir::TensorValue& t) {
  return ir::is_float(t.dtype) ? t.real : std::vector<double>(t.whole.begin(), t.whole.end());
}

bool close(double got, double expected, double range) {
  if (!std::isfinite(expected))
    return true;  // what GPUs make of infinities and NaN is theirs; f64 overflows later than f32
  return std::fabs(got - expected) <= 2e-5 * range;
}

struct Run {
  const te::Task& task;
  const ir::Kernel& kernel;
  std::vector<std::vector<double>> inputs;
  std::vector<ir::TensorValue> args;

  void add(size_t i, const ir::TensorValue& value) {
    args.push_back(kernel.args[i]->shape == value.shape ? value : ir::to_physical(value, task.args[i].layout));
  }
  std::vector<double> output(size_t o) const {
    const size_t i = inputs.size() + o;
    const ir::Shape& shape = task.program.outputs[o]->shape;
    return numbers(kernel.args[i]->shape == shape ? args[i] : ir::from_physical(args[i], shape, task.args[i].layout));
  }
};

// "" when the lowered kernel computes what the definition says.
std::string difference(const te::Task& task, const ir::Kernel& kernel) {
  Run run{task, kernel, {}, {}};
  for (size_t i = 0; i < task.program.inputs.size(); i++) {
    const ir::TensorValue value =
        ir::uniform_tensor(task.program.inputs[i]->dtype, task.program.inputs[i]->shape, i + 1);
    run.inputs.push_back(numbers(value));
    run.add(i, value);
  }
  for (size_t o = 0; o < task.program.outputs.size(); o++)
    run.add(run.inputs.size() + o, ir::make_tensor(task.program.outputs[o]->dtype, task.program.outputs[o]->shape));
  const auto expected = te::evaluate(task.program, run.inputs);
  if (const Status status = ir::interpret(kernel, run.args); !status.ok()) return status.error().message;
  for (size_t o = 0; o < expected.size(); o++) {
    const std::vector<double> got = run.output(o);
    double range = 0;
    for (double v : expected[o]) range = std::isfinite(v) ? std::max(range, std::fabs(v)) : range;
    for (size_t e = 0; e < got.size(); e++)
      if (!close(got[e], expected[o][e], range))
        return cat("output ", o, " element ", e, " is ", got[e], ", expected ", expected[o][e]);
  }
  return "";
}

// 8 and 16 bit integers have no storage on WebGPU yet.
bool is_storable(const te::Task& task) {
  const auto storable = [](te::Tensor t) { return t->dtype == ir::DType::kF32 || t->dtype == ir::DType::kI32 || t->dtype == ir::DType::kU32; };
  return std::all_of(task.program.inputs.begin(), task.program.inputs.end(), storable) &&
         std::all_of(task.program.outputs.begin(), task.program.outputs.end(), storable);
}

// Given the tasks of every ONNX test that imports, when lowered by naive-v1, then the interpreter's result is the definition's.
TEST(OnnxTasks, BaselineKeepsResult) {
  std::set<std::string> seen;
  int kept = 0, other_types = 0;
  for (const char* suite : {"node", "pytorch-operator", "pytorch-converted"}) {
    const fs::path root = fs::path("/usr/share/libonnx-testdata/data") / suite;
    ASSERT_TRUE(fs::exists(root)) << "libonnx-testdata is not installed: run scripts/setup";
    for (const auto& folder : fs::directory_iterator(root)) {
      std::ifstream file(folder.path() / "model.onnx", std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      const auto tasks = graph::tasks_from_onnx(bytes);
      if (!tasks.ok()) continue;
      for (const te::Task& task : tasks->tasks) {
        if (task.flops > kFlopsMax || !seen.insert(task.id.hex()).second) continue;
        if (!is_storable(task)) {
          other_types++;
          continue;
        }
        SCOPED_TRACE(cat(folder.path().filename().string(), ": ", task.name));
        const target::Target target = target::webgpu_default();
        const auto kernel = lower::lower_kernel(task, baseline_trace(task, target).value(), target);
        if (!kernel.ok()) {
          ADD_FAILURE() << kernel.error().message;
          continue;
        }
        EXPECT_EQ(difference(task, *kernel), "");
        EXPECT_TRUE(compile_kernel(task, baseline_trace(task, target).value(), target).ok());
        kept++;
      }
    }
  }
  std::printf("%d distinct tasks keep their result; %d of 8 and 16 bit integers not tried\n", kept, other_types);
  EXPECT_GE(kept, 580);
}

}  // namespace
}  // namespace hone
