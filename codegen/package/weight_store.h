// The constants of a model as a package holds them: each once, row-major, in the types that devices hold, one after the other.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "codegen/graph/graph.h"
#include "schema/generated/manifest.h"

namespace hone::package {

class WeightStore {
 public:
  // halves: what has the type f32 is kept as f16, rounded to the nearest.
  WeightStore(const graph::Graph& graph, bool halves) : graph_(graph), halves_(halves) {}

  // The position of a constant among weights(); one that is equal to an earlier one is not kept again.
  // Needs: its contents are known. Fails: limit_exceeded for whole numbers beyond 32 bits.
  Result<uint32_t> add(graph::ValueId id);

  const std::vector<protocol::Weight>& weights() const { return weights_; }
  const std::string& bytes() const { return bytes_; }
  // Where a chunk that begins at `begin` ends: in front of the weight that would go on in the next one, since it is packed out of all its chunks, unless that
  // leaves less than half a chunk.
  size_t end_of_chunk(size_t begin, size_t bytes_max) const;

 private:
  const graph::Graph& graph_;
  const bool halves_;
  std::map<graph::ValueId, uint32_t> by_value_;
  std::map<std::string, uint32_t> by_content_;  // by type, shape and digest
  std::vector<protocol::Weight> weights_;
  std::string bytes_;
};

}  // namespace hone::package
