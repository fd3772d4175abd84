// The other programs of tasks that come from a model.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

const std::string kNode =
    node("Conv", {"x", "w", "b"}, "y", "attribute { name: 'pads' type: INTS ints: 1 ints: 1 ints: 1 ints: 1 } ");

te::Task only_task(const std::string& graph) {
  auto tasks = tasks_from_onnx(model_bytes(graph));
  CHECK(tasks.ok() && tasks->tasks.size() == 1,
        tasks.ok() ? cat(tasks->tasks.size(), " tasks") : tasks.error().message);
  return std::move(tasks->tasks[0]);
}

// A window of 3×3 with a bias and a clamp behind it, in ONNX's element type of that number; its weights a constant.
te::Task window(int type) {
  const std::string to = cat("attribute { name: 'to' type: INT i: ", type, " } ");
  return only_task(input("x", dim(1) + dim(2) + dim(4) + dim(5), type) + weights("w32", {3, 2, 3, 3}, 1) +
                   weights("b32", {3}, 2) + node("Cast", {"w32"}, "w", to) + node("Cast", {"b32"}, "b", to) + kNode +
                   node("Relu", {"y"}, "z") + output("z"));
}

// Given a window with an epilogue in f32, f16 and f64, when its task is made, then the other programs read and write the task's own tensors, in f32,
// are well formed, and are those of f32.
TEST(Alternatives, ShareTheTasksTensors) {
  const te::Task usual = window(1);
  for (int type : {1, 10, 11}) {
    const te::Task task = window(type);
    ASSERT_EQ(task.alternatives.size(), 2u) << type;
    for (size_t i = 0; i < task.alternatives.size(); i++) {
      const te::Alternative& a = task.alternatives[i];
      EXPECT_EQ(a.program.inputs, task.program.inputs);
      EXPECT_EQ(a.program.outputs, task.program.outputs);
      const Status verified = te::verify_te(a.program);
      EXPECT_TRUE(verified.ok()) << verified.error().message;
      EXPECT_EQ(te::print_te(a.program), te::print_te(usual.alternatives[i].program)) << type;
      for (const te::Compute& c : a.program.computes) EXPECT_EQ(c.outputs[0]->dtype, ir::DType::kF32) << c.name;
    }
  }
}

// Given a window whose weights are an input of the model, when its task is made, then there is no other program.
TEST(Alternatives, NeedConstantWeights) {
  const te::Task task =
      only_task(input("x", dim(1) + dim(2) + dim(4) + dim(5)) + input("w", dim(3) + dim(2) + dim(3) + dim(3)) +
                input("b", dim(3)) + kNode + output("y"));
  EXPECT_TRUE(task.alternatives.empty());
}

}  // namespace
}  // namespace hone::graph
