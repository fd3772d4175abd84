// Compares a lowered kernel, run by the interpreter, with its task's definition, run by the evaluator. For tests; tasks of one output.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/ir/interpreter.h"
#include "codegen/te/evaluate.h"
#include "codegen/te/task.h"

namespace hone {

inline std::vector<double> elements(const ir::TensorValue& value) {
  return ir::is_float(value.dtype) ? value.real : std::vector<double>(value.whole.begin(), value.whole.end());
}

// What a task's definition makes of generated inputs. Whole numbers are spread over most of 8 bits.
struct Oracle {
  std::vector<std::vector<double>> inputs;
  std::vector<std::vector<double>> outputs;
  double range = 0;

  explicit Oracle(const te::Task& task) {
    for (size_t i = 0; i < task.program.inputs.size(); i++) {
      const te::Tensor tensor = task.program.inputs[i];
      inputs.push_back(elements(ir::uniform_tensor(tensor->dtype, tensor->shape, i + 1)));
      if (!ir::is_float(tensor->dtype))
        for (double& v : inputs.back()) v *= 15;
    }
    outputs = te::evaluate(task.program, inputs);
    for (double v : outputs[0]) range = std::max(range, std::abs(v));
  }
};

// What the kernel makes of the oracle's inputs, run by the interpreter.
inline Result<std::vector<double>> outputs_of(const te::Task& task, const Oracle& oracle, const ir::Kernel& kernel) {
  std::vector<ir::TensorValue> args;
  for (size_t i = 0; i < kernel.args.size(); i++) {
    bool input = i < oracle.inputs.size();
    const te::Tensor tensor = input ? task.program.inputs[i] : task.program.outputs[i - oracle.inputs.size()];
    const ir::Shape& shape = tensor->shape;
    ir::TensorValue value = ir::make_tensor(tensor->dtype, shape);
    if (input && ir::is_float(tensor->dtype)) value.real = oracle.inputs[i];
    else if (input) value.whole.assign(oracle.inputs[i].begin(), oracle.inputs[i].end());
    value = ir::rounded(value, kernel.args[i]->dtype);
    args.push_back(kernel.args[i]->shape == shape ? value : ir::to_physical(value, kernel.arg_layouts[i]));
  }
  HONE_TRY(ir::interpret(kernel, args));
  size_t out = oracle.inputs.size();
  const ir::Shape& shape = task.program.outputs[0]->shape;
  return elements(kernel.args[out]->shape == shape ? args[out]
                                                   : ir::from_physical(args[out], shape, kernel.arg_layouts[out]));
}

// "" if the kernel's outputs are those of the oracle within reassociation, else what differs.
inline std::string difference(const te::Task& task, const Oracle& oracle, const ir::Kernel& kernel) {
  const auto ran = outputs_of(task, oracle, kernel);
  if (!ran.ok()) return ran.error().message;
  const std::vector<double>& got = *ran;
  for (size_t i = 0; i < oracle.outputs[0].size(); i++)
    if (!(std::abs(got[i] - oracle.outputs[0][i]) <=
          (ir::is_float(task.program.outputs[0]->dtype) ? task.accuracy.base * oracle.range : 0)))
      return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", expected " +
             std::to_string(oracle.outputs[0][i]);
  return "";
}

}  // namespace hone
