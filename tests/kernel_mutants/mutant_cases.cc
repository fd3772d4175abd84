#include "tests/kernel_mutants/mutant_cases.h"

#include <algorithm>
#include <string_view>

#include "tests/conformance/subject.h"

namespace hone::kernel_mutants {
namespace {

constexpr int kNumbers = 8;             // cases of an operator
constexpr int64_t kElementsMax = 4096;  // of a tensor: the interpreter takes microseconds a step

struct Family {
  const char* type;
  std::vector<const char*> operators;
};
const Family kFamilies[] = {
    {"f32", {"MatMul", "Gemm", "Conv", "ConvTranspose", "MaxPool", "AveragePool", "Softmax", "LayerNormalization", "ReduceSum", "ReduceMax",
             "Clip", "Relu", "Div", "Add", "Gather", "Resize", "Transpose"}},
    {"f16", {"MatMul", "Gemm", "Conv"}},
    {"8 bits", {"MatMulInteger", "ConvInteger", "QuantizeLinear", "DequantizeLinear"}},
    {"i32", {"Add", "Sub", "Mul", "Max", "Min", "ReduceSum", "ReduceMax", "ReduceMin", "Gather", "Clip", "Where"}},
};

bool is_whole(const te::Task& task) {
  return std::all_of(task.program.outputs.begin(), task.program.outputs.end(), [](te::Tensor t) { return !ir::is_float(t->dtype); });
}

bool is_small(const te::Task& task) {
  const auto fits = [](te::Tensor t) {
    const int64_t count = ir::element_count(t->shape);
    return count > 0 && count <= kElementsMax;
  };
  return std::all_of(task.program.inputs.begin(), task.program.inputs.end(), fits) &&
         std::all_of(task.program.outputs.begin(), task.program.outputs.end(), fits);
}

bool belongs(const Family& family, const te::Task& task) {
  const std::string type = family.type;
  return type == "8 bits" || (type == "i32") == is_whole(task);
}

void add_case(std::vector<Case>& out, const char* type, te::Task task) {
  if (std::string_view(type) == "f16") te::loosen(task, 0.02);
  const auto is_same = [&](const Case& other) { return other.task.id == task.id; };
  if (is_small(task) && std::none_of(out.begin(), out.end(), is_same)) out.push_back({type, std::move(task)});
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> out;
  conformance::Omissions omissions;
  for (const Family& family : kFamilies)
    for (const char* name : family.operators)
      for (const conformance::Operator& op : conformance::operators_named(name))
        for (int number = 0; number < kNumbers; number++)
          for (conformance::Subject& subject : conformance::subjects_of(op, number, omissions))
            if (!conformance::has_no_results(subject) && belongs(family, subject.task)) add_case(out, family.type, std::move(subject.task));
  return out;
}

}  // namespace hone::kernel_mutants
