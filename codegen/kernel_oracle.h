// Compares a lowered kernel, run by the interpreter, with its task's definition, run by the evaluator. For tests; f32 tasks of one output.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/ir/interpreter.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/task.h"

namespace hone {

// What a task's definition makes of generated inputs.
struct Oracle {
  std::vector<std::vector<double>> inputs;
  std::vector<std::vector<double>> outputs;
  double range = 0;

  explicit Oracle(const te::Task& task) {
    for (size_t i = 0; i < task.program.inputs.size(); i++)
      inputs.push_back(ir::uniform_tensor(ir::DType::kF32, task.program.inputs[i]->shape, i + 1).real);
    outputs = te::evaluate(task.program, inputs);
    for (double v : outputs[0]) range = std::max(range, std::abs(v));
  }
};

// Runs the kernel in the interpreter; "" if its outputs are those of the oracle within reassociation, else what differs.
inline std::string difference(const te::Task& task, const Oracle& oracle, const ir::Kernel& kernel) {
  std::vector<ir::TensorValue> args;
  for (size_t i = 0; i < kernel.args.size(); i++) {
    bool input = i < oracle.inputs.size();
    const ir::Shape& shape =
        input ? task.program.inputs[i]->shape : task.program.outputs[i - oracle.inputs.size()]->shape;
    ir::TensorValue value = ir::make_tensor(ir::DType::kF32, shape);
    if (input) value.real = oracle.inputs[i];
    args.push_back(kernel.args[i]->shape == shape ? value : ir::to_physical(value, kernel.arg_layouts[i]));
  }
  Status ran = ir::interpret(kernel, args);
  if (!ran.ok()) return ran.error().message;
  size_t out = oracle.inputs.size();
  const ir::Shape& shape = task.program.outputs[0]->shape;
  std::vector<double> got =
      (kernel.args[out]->shape == shape ? args[out] : ir::from_physical(args[out], shape, kernel.arg_layouts[out]))
          .real;
  for (size_t i = 0; i < oracle.outputs[0].size(); i++)
    if (!(std::abs(got[i] - oracle.outputs[0][i]) <= task.accuracy.base * oracle.range))
      return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", expected " +
             std::to_string(oracle.outputs[0][i]);
  return "";
}

}  // namespace hone
