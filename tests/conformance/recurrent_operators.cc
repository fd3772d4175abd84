// One place of recurrent layers, as the importer writes them.
#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

struct Extents {
  int64_t time, batch, units;
};

Extents extents(Draw& d) {
  Extents e{d.extent(5), d.extent(3), d.extent(17)};
  if (d.role() == Role::kUnit) e.batch = 1;
  if (d.role() == Role::kEmpty) e.batch = 0;
  if (d.role() == Role::kDeep) e.units = d.between(64, 80);
  return e;
}

graph::Attribute list_of(size_t count, const std::string& each) { return std::vector<std::string>(count, each); }

// The inputs that all have; places lie beyond both ends, too.
OneNode step(std::string_view op, Draw& d, const Extents& e, int64_t gates, size_t functions) {
  OneNode node(op, 22);
  node.input({e.time, e.batch, gates * e.units}).input({}, DType::kI64).weights({gates * e.units, e.units}).input({1, e.batch, e.units});
  node.set("activations", list_of(functions, d.any_of({"Tanh", "Sigmoid", "HardSigmoid"})));
  node.set("activation_alpha", std::vector<double>(functions, 0.2)).set("activation_beta", std::vector<double>(functions, 0.5));
  return node.set("clip", d.coin() ? 0.0 : 1.0);
}

Graph elman_step(std::string_view op, Draw& d) {
  const Extents e = extents(d);
  OneNode node = step(op, d, e, 1, 1);
  if (d.coin()) return node;
  return node.input({e.batch}, DType::kI32).with_outputs(2);
}

Graph gated_step(std::string_view op, Draw& d) {
  const Extents e = extents(d);
  OneNode node = step(op, d, e, 3, 2);
  const bool ends = d.coin();
  if (ends) node.input({e.batch}, DType::kI32);
  else node.no_input();
  if (d.coin()) node.weights({e.units});
  return node.with_outputs(ends ? 2 : 1);
}

Graph long_short_step(std::string_view op, Draw& d) {
  const Extents e = extents(d);
  OneNode node = step(op, d, e, 4, 3);
  const bool ends = d.coin();
  node.input({1, e.batch, e.units});
  if (ends) node.input({e.batch}, DType::kI32);
  else node.no_input();
  if (d.coin()) node.weights({3 * e.units});
  return node.set("input_forget", d.coin()).with_outputs(ends ? 3 : 2);
}

Graph associative_step(std::string_view op, Draw& d) {
  const Extents e = extents(d);
  const int64_t heads = d.between(1, 2), queries = heads * d.between(1, 2), values = d.extent(5);
  OneNode node(op, 27);
  node.input({e.batch, e.time, queries * e.units}).input({e.batch, e.time, heads * e.units}).input({e.batch, e.time, heads * values});
  node.input({e.batch, heads, e.units, values}).input({}, DType::kI64);
  if (d.coin()) node.input({e.batch, e.time, d.coin() ? heads : heads * e.units});
  else node.no_input();
  if (d.coin()) node.input({e.batch, e.time, d.coin() ? heads : 1});
  return node.set("q_num_heads", queries).set("kv_num_heads", heads).set("scale", 0.5).with_outputs(2);
}

}  // namespace

std::vector<Operator> recurrent_operators() {
  return {
      {"hone.AssociativeStep", associative_step, kRounded, kAll, -1, 1},
      {"hone.ElmanStep", elman_step, kRounded, kAll, -1, 1},
      {"hone.GatedStep", gated_step, kRounded, kAll, -1, 1},
      {"hone.LongShortStep", long_short_step, kRounded, kAll, -1, 1},
  };
}

}  // namespace hone::conformance
