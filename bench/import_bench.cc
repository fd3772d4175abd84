// scripts/bench import: from ONNX bytes to tasks, and to a plan whose kernels are nothing, for models of 25,000 to 100,000 nodes; the
// passes over the graph alone for 10,000 to 40,000; by a child what the service has done. The time must double with the model. Wanted: 10 s for 100,000 nodes; 1 s and 0.3 times the file for 100 MB of weights.
#include <benchmark/benchmark.h>
#include <onnx/onnx_pb.h>

#include <chrono>
#include <fstream>

#include "base/cat.h"
#include "codegen/graph/import.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/package/model_plan.h"
#include "server/jobs/child_models.h"

namespace hone {
namespace {

class Model {
 public:
  Model() {
    model_.set_ir_version(7);
    model_.add_opset_import()->set_version(13);
  }
  std::string input(const std::string& name, const std::vector<int64_t>& dims) {
    auto* v = model_.mutable_graph()->add_input();
    v->set_name(name);
    auto* type = v->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape();
    for (int64_t d : dims) type->mutable_shape()->add_dim()->set_dim_value(d);
    return name;
  }
  std::string constant(const std::string& name, int64_t count) {
    auto* t = model_.mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(onnx::TensorProto::FLOAT);
    t->add_dims(count);
    for (int64_t i = 0; i < count; i++) t->add_float_data(static_cast<float>(i + 1));
    return name;
  }
  std::string raw_weights(const std::string& name, int64_t rows, int64_t columns) {
    auto* t = model_.mutable_graph()->add_initializer();
    t->set_name(name);
    t->set_data_type(onnx::TensorProto::FLOAT);
    t->add_dims(rows);
    t->add_dims(columns);
    t->set_raw_data(std::string(static_cast<size_t>(4 * rows * columns), '\x3c'));
    return name;
  }
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
    auto* n = model_.mutable_graph()->add_node();
    n->set_op_type(op);
    for (const auto& name : inputs) n->add_input(name);
    if (!output.empty()) n->add_output(output);
    return *n;
  }
  void output(const std::string& name) { model_.mutable_graph()->add_output()->set_name(name); }
  std::string bytes() const { return model_.SerializeAsString(); }

 private:
  onnx::ModelProto model_;
};

// ops in turn, one after the other
std::string chain(int64_t n, const std::vector<std::string>& ops) {
  Model m;
  std::string at = m.input("x", {8});
  const std::string w = m.constant("w", 8);
  for (int64_t i = 0; i < n; i++) {
    const std::string& op = ops[static_cast<size_t>(i) % ops.size()];
    const std::string next = cat("v", i);
    m.node(op, op == "Add" || op == "Mul" ? std::vector<std::string>{at, w} : std::vector<std::string>{at}, next);
    at = next;
  }
  m.output(at);
  return m.bytes();
}
std::string relu_chain(int64_t n) { return chain(n, {"Relu"}); }
std::string identity_chain(int64_t n) { return chain(n, {"Identity"}); }
std::string mixed_chain(int64_t n) { return chain(n, {"Softmax", "Add", "Relu", "Mul", "Transpose"}); }

// n nodes, the layers one behind the other; layer: writes some nodes, adds their number and returns its result.
using Layer = std::string (*)(Model& m, const std::string& x, int64_t& nodes);
std::string layered(int64_t n, Layer layer) {
  Model m;
  std::string at = m.input("x", {1, 3, 3, 3});
  for (int64_t nodes = 0; nodes < n;) at = layer(m, at, nodes);
  m.output(at);
  return m.bytes();
}
std::string next(Model& m, int64_t& nodes, const std::string& op, const std::vector<std::string>& inputs, const std::vector<int64_t>& perm = {}) {
  const std::string result = cat("v", nodes++);
  auto& node = m.node(op, inputs, result);
  if (perm.empty()) return result;
  auto* a = node.add_attribute();
  a->set_name("perm");
  a->set_type(onnx::AttributeProto::INTS);
  for (int64_t axis : perm) a->add_ints(axis);
  return result;
}

// x · f(x): each level reads the one below twice.
std::string tower(int64_t n) {
  return layered(n, [](Model& m, const std::string& x, int64_t& nodes) { return next(m, nodes, "Mul", {x, next(m, nodes, "Sigmoid", {x})}); });
}
// Many regions whose Transposes vanish.
std::string turned(int64_t n) {
  return layered(n, [](Model& m, const std::string& x, int64_t& nodes) {
    const std::string last = next(m, nodes, "Exp", {next(m, nodes, "Transpose", {x}, {0, 2, 3, 1})});
    return next(m, nodes, "Softmax", {next(m, nodes, "Transpose", {last}, {0, 3, 1, 2})});
  });
}
// A sum of Transposes of two orders: a region is looked at from each, upwards and downwards, and left.
std::string crossed(int64_t n) {
  return layered(n, [](Model& m, const std::string& x, int64_t& nodes) {
    const std::vector<int64_t> order = nodes % 4 ? std::vector<int64_t>{0, 2, 3, 1} : std::vector<int64_t>{0, 3, 1, 2};
    return next(m, nodes, "Add", {next(m, nodes, "Transpose", {"x"}, order), x});
  });
}
// A GELU in pieces whose factor is none: looked at, and left.
std::string nearly_gelu(int64_t n) {
  return layered(n, [](Model& m, const std::string& x, int64_t& nodes) {
    const std::string one = m.constant(cat("one", nodes), 1), gate = next(m, nodes, "Add", {next(m, nodes, "Erf", {x}), one});
    return next(m, nodes, "Mul", {next(m, nodes, "Mul", {x, gate}), one});
  });
}

std::string variadic(int64_t n, const std::string& op) {
  Model m;
  std::vector<std::string> inputs;
  for (int64_t i = 0; i < n; i++) inputs.push_back(m.input(cat("x", i), {2}));
  auto& node = m.node(op, inputs, "y");
  if (op == "Concat") {
    auto* a = node.add_attribute();
    a->set_name("axis");
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(0);
  }
  m.output("y");
  return m.bytes();
}
std::string sum_of(int64_t n) { return variadic(n, "Sum"); }
std::string max_of(int64_t n) { return variadic(n, "Max"); }
std::string concat_of(int64_t n) { return variadic(n, "Concat"); }

std::string split_into(int64_t n) {
  Model m;
  auto& node = m.node("Split", {m.input("x", {n})}, "");
  for (int64_t i = 0; i < n; i++) {
    node.add_output(cat("y", i));
    m.output(cat("y", i));
  }
  return m.bytes();
}

std::string add_tree(int64_t n) {
  Model m;
  m.input("x", {8});
  std::vector<std::string> level;
  for (int64_t i = 0; i < n / 2; i++) {
    m.node("Exp", {"x"}, cat("l", i));
    level.push_back(cat("l", i));
  }
  for (int64_t next = 0; level.size() > 1;) {
    std::vector<std::string> above;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      above.push_back(cat("t", next++));
      m.node("Add", {level[i], level[i + 1]}, above.back());
    }
    if (level.size() % 2) above.push_back(level.back());
    level = std::move(above);
  }
  m.output(level[0]);
  return m.bytes();
}

std::string initialisers(int64_t n) {
  Model m;
  std::string at = m.input("x", {8});
  for (int64_t i = 0; i < n; i++) m.constant(cat("w", i), 8);
  m.node("Relu", {at}, "y");
  m.output("y");
  return m.bytes();
}

std::string constant_chain(int64_t n) {
  Model m;
  std::string at = m.constant("w", 8);
  m.input("x", {8});
  for (int64_t i = 0; i < n; i++) {
    m.node("Relu", {at}, cat("c", i));
    at = cat("c", i);
  }
  m.node("Add", {"x", at}, "y");
  m.output("y");
  return m.bytes();
}

// Layers of 1000 x 1000 weights, 4 MB each.
std::string layers(int64_t n) {
  Model m;
  std::string at = m.input("x", {1, 1000});
  for (int64_t i = 0; i < n; i++) {
    m.node("MatMul", {at, m.raw_weights(cat("w", i), 1000, 1000)}, cat("y", i));
    at = cat("y", i);
  }
  m.output(at);
  return m.bytes();
}

double resident_mib() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096 / (1 << 20);
}

// What the graph takes besides the file, with all weights in it.
void to_graph(benchmark::State& state) {
  const SharedBytes file = shared_bytes(layers(state.range(0)));
  for (auto _ : state) {
    const double before = resident_mib();
    auto graph = graph::graph_from_onnx(file, {});
    CHECK(graph.ok() && graph::prepare_graph(*graph).ok());
    state.counters["MiB"] = resident_mib() - before;
    state.counters["file_MiB"] = static_cast<double>(file->size()) / (1 << 20);
  }
}

// What the service does: the payload becomes shared memory, and a child reads it.
void by_a_child(benchmark::State& state, std::string (*model)(int64_t)) {
  const std::string bytes = model(state.range(0));
  protocol::JobRequest job;
  job.source.model_name = "m.onnx";
  job.target = "webgpu";
  server::MemoryBudget memory(int64_t{4} << 30);
  server::ChildModels models({.program = HONE_BINARY}, memory);
  for (auto _ : state) {
    const double before = resident_mib();
    const auto payload = server::SharedMemory::of(bytes);
    const auto graph = models.graph({job, *payload}, nullptr);
    CHECK(graph.ok(), graph.error().message);
    state.counters["MiB"] = resident_mib() - before;
    state.counters["file_MiB"] = static_cast<double>(bytes.size()) / (1 << 20);
  }
}

// The passes alone.
void prepared(benchmark::State& state, std::string (*model)(int64_t)) {
  const SharedBytes file = shared_bytes(model(state.range(0)));
  for (auto _ : state) {
    auto graph = graph::graph_from_onnx(file, {});
    CHECK(graph.ok());
    const auto started = std::chrono::steady_clock::now();
    const Status ready = graph::prepare_graph(*graph);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
    state.SetLabel(ready.ok() ? cat(graph->nodes.size(), " nodes left") : ready.error().message.substr(0, 100));
  }
}

void to_tasks(benchmark::State& state, std::string (*model)(int64_t)) {
  const std::string bytes = model(state.range(0));
  for (auto _ : state) {
    const auto tasks = graph::tasks_from_onnx(bytes);
    state.SetLabel(tasks.ok() ? cat(tasks->tasks.size(), " tasks") : tasks.error().message.substr(0, 100));
  }
}

// On textures, where how a value lies depends on who writes it.
void to_texture_tasks(benchmark::State& state, std::string (*model)(int64_t)) {
  const std::string bytes = model(state.range(0));
  for (auto _ : state) {
    const auto tasks = graph::tasks_from_onnx(bytes, {.medium = ir::Medium::kTexture2D});
    state.SetLabel(tasks.ok() ? cat(tasks->tasks.size(), " tasks") : tasks.error().message.substr(0, 100));
  }
}

void to_plan(benchmark::State& state, std::string (*model)(int64_t)) {
  const std::string bytes = model(state.range(0));
  for (auto _ : state) {
    auto graph = graph::graph_from_onnx(bytes, {});
    CHECK(graph.ok());
    if (const Status ready = graph::prepare_graph(*graph); !ready.ok()) {
      state.SetLabel(ready.error().message.substr(0, 100));
      continue;
    }
    const auto plan = package::plan_model(*graph, [](const te::Task&) { return emit::KernelSource{}; });
    state.SetLabel(plan.ok() ? cat(plan->steps.size(), " steps") : plan.error().message.substr(0, 100));
  }
}

#define HONE_BENCHMARK(model)               \
  BENCHMARK_CAPTURE(prepared, model, model) \
      ->Arg(10000)                          \
      ->Arg(20000)                          \
      ->Arg(40000)                          \
      ->Unit(benchmark::kMillisecond)       \
      ->UseManualTime()                     \
      ->Iterations(1);                      \
  BENCHMARK_CAPTURE(to_tasks, model, model) \
      ->Arg(25000)                          \
      ->Arg(50000)                          \
      ->Arg(100000)                         \
      ->Unit(benchmark::kMillisecond)       \
      ->Iterations(1);                      \
  BENCHMARK_CAPTURE(to_plan, model, model)  \
      ->Arg(25000)                          \
      ->Arg(50000)                          \
      ->Arg(100000)                         \
      ->Unit(benchmark::kMillisecond)       \
      ->Iterations(1)
HONE_BENCHMARK(relu_chain);
HONE_BENCHMARK(identity_chain);
HONE_BENCHMARK(mixed_chain);
HONE_BENCHMARK(tower);
HONE_BENCHMARK(turned);
HONE_BENCHMARK(crossed);
HONE_BENCHMARK(nearly_gelu);
HONE_BENCHMARK(constant_chain);
HONE_BENCHMARK(sum_of);
HONE_BENCHMARK(max_of);
HONE_BENCHMARK(concat_of);
HONE_BENCHMARK(split_into);
HONE_BENCHMARK(add_tree);
HONE_BENCHMARK(initialisers);
BENCHMARK(to_graph)->Arg(25)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(by_a_child, layers, layers)->Arg(1)->Arg(25)->Unit(benchmark::kMillisecond)->Iterations(5)->UseRealTime();
BENCHMARK_CAPTURE(by_a_child, mixed_chain, mixed_chain)->Arg(100000)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(to_texture_tasks, sum_of, sum_of)
    ->Arg(25000)
    ->Arg(50000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(to_tasks, relu_chain, relu_chain)
    ->Arg(1000)
    ->Arg(2000)
    ->Arg(4000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace hone
