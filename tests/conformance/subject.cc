#include "tests/conformance/subject.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/model_steps.h"
#include "codegen/te/program.h"
#include "tests/conformance/inputs.h"
#include "tests/conformance/judge.h"

namespace hone::conformance {
namespace {

// The first four, which run always, have each role once, and special values once.
struct Plan {
  Role role;
  bool special;
};
constexpr Plan kPlans[] = {{Role::kUnit, false}, {Role::kEmpty, false}, {Role::kDeep, false},
                           {Role::kPlain, true}, {Role::kPlain, false}, {Role::kUnit, true}};
const Plan& plan_of(int number) { return kPlans[static_cast<size_t>(number) % std::size(kPlans)]; }

uint64_t seed_of(std::string_view op, int number) {
  uint64_t seed = 1;
  for (char c : op) seed = hash_mix(seed, static_cast<unsigned char>(c));
  return hash_mix(seed, static_cast<uint64_t>(number));
}

Result<std::vector<graph::GroupTask>> own_task(graph::Graph& graph) {
  HONE_TRY(graph::infer_shapes(graph));
  const graph::Layouts row_major{.channels_last = std::vector<bool>(graph.values.size(), false)};
  return graph::GroupTasks(graph, row_major).of({{0}});
}

constexpr const char* kWatch = "hone.Overflow";

// `graph` becomes what the tasks' inputs are values of.
Result<std::vector<graph::GroupTask>> tasks_of(graph::Graph& graph) {
  const graph::Graph original = graph;
  const bool is_watch = original.nodes[0].op == kWatch;
  // Operators are tried as they are defined, not as what a model's graph makes of them.
  HONE_TRY(graph::prepare_graph(graph, {.without = {"eliminate_transposes", "narrow_choices", "order_updates", "simplify_algebra", "split_attention"}}));
  HONE_ASSIGN(model, graph::steps_of(graph));
  std::vector<graph::GroupTask> tasks;
  for (graph::Step& step : model.steps)
    // What is computed beside whole numbers of 64 bits is an operator with cases of its own.
    if (!step.on_upload && (is_watch || graph.nodes[static_cast<size_t>(step.nodes[0])].op != kWatch)) tasks.push_back(std::move(step.work));
  if (!tasks.empty()) return tasks;
  graph = original;
  return own_task(graph);
}

}  // namespace

namespace {
void flush_subnormals(std::vector<ir::TensorValue>& values) {
  for (ir::TensorValue& value : values)
    for (double& v : value.real)
      if (std::fabs(v) < std::numeric_limits<float>::min()) v = 0;
}
}  // namespace

bool has_no_results(const Subject& subject) {
  const std::vector<te::Tensor>& outputs = subject.task.program.outputs;
  return std::all_of(outputs.begin(), outputs.end(), [](te::Tensor t) { return ir::element_count(t->shape) == 0; });
}

graph::Graph model_of(const Operator& op, int number) {
  Draw draw(seed_of(op.op, number), plan_of(number).role);
  return op.make(op.op, draw);
}

std::vector<Subject> subjects_of(const Operator& op, int number, Omissions& omissions, Arithmetic arithmetic) {
  const Plan& plan = plan_of(number);
  graph::Graph graph = model_of(op, number);
  auto tasks = tasks_of(graph);
  if (!tasks.ok()) {
    CHECK(plan.role == Role::kEmpty, cat(op.op, " ", number, ": ", tasks.error().message));
    ++omissions[cat(op.op, " with an empty axis is refused: ", tasks.error().message)];
    return {};
  }
  std::vector<Subject> out;
  for (graph::GroupTask& made : *tasks) {
    Subject subject{cat(op.op, " ", number, ", ", made.task.name), std::move(made.task), {}};
    const Status legal = te::verify_te(subject.task.program);
    CHECK(legal.ok(), cat(subject.name, ": ", legal.error().message));
    std::vector<ir::DType> model_types;
    for (graph::ValueId id : made.inputs) model_types.push_back(graph.value(id).dtype);
    // GLSL ES leaves powers of what is negative, zero or no number open.
    const bool special = plan.special && !(arithmetic == Arithmetic::kShader && op.op == std::string_view("Pow"));
    subject.values.args = random_inputs(subject.task, model_types, op, special, seed_of(op.op, number));
    if (arithmetic == Arithmetic::kShader) flush_subnormals(subject.values.args);
    judge(subject, op);
    if (arithmetic == Arithmetic::kShader) {
      subject.values.tolerance.any_for_nan = op.match == Match::kRounded;
      subject.values.tolerance.sign_of_zero = false;
      subject.values.tolerance.absolute += std::numeric_limits<float>::min();
    }
    out.push_back(std::move(subject));
  }
  return out;
}

}  // namespace hone::conformance
