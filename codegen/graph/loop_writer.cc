#include "codegen/graph/loop_writer.h"

namespace hone::graph {

LoopWriter::LoopWriter(NodeWriter& nodes, ValueId read, int64_t trips) : nodes_(nodes), read_(read), trips_(trips) {
  const ValueId counter = nodes.add("hone.LoopState", {nodes.number(DType::kI64, 0), read}, {{"counts", trips}});
  follow(counter, nodes.add("Add", {counter, nodes.number(DType::kI64, 1)}));
}

ValueId LoopWriter::put(ValueId parts, ValueId part, ValueId place, int64_t count, int64_t axis, size_t rank) {
  Shape along(rank, 1);
  along[static_cast<size_t>(axis)] = count;
  return nodes_.add("Where", {nodes_.add("Equal", {nodes_.reshaped(nodes_.range(count), along), place}), part, parts});
}

std::vector<ValueId> LoopWriter::end() {
  std::vector<ValueId> finals = nodes_.add_all("hone.LoopEnd", pairs_, {{"trips", trips_}, {"asks", int64_t{0}}}, pairs_.size() / 2);
  finals.erase(finals.begin());  // the counter's
  return finals;
}

}  // namespace hone::graph
