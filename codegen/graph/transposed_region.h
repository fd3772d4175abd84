// Elementwise nodes around Transposes, all computed as their elements lie before the Transposes.
#pragma once
#include <map>
#include <set>
#include <vector>

#include "codegen/graph/graph.h"

namespace hone::graph {

// Dimension d of the result is dimension order[d] of what is read.
using AxisOrder = std::vector<int64_t>;

// The order of a Transpose, which reverses the dimensions where it names none. Needs: shapes known.
AxisOrder order_of(const Graph& graph, const Node& transpose);
AxisOrder inverse_of(const AxisOrder& order);
// behind[before[d]]: of one Transpose behind another.
AxisOrder composed(const AxisOrder& before, const AxisOrder& behind);
bool is_identity(const AxisOrder& order);

// Nodes of one region at most, and readers of one value: what is beyond them reads a Transpose as before.
inline constexpr size_t kTransposedNodesMax = 64;
// Nodes above one that it is computed from, between it and a Transpose.
inline constexpr int kTransposedDepthMax = 8;

// Grows from one Transpose over the elementwise nodes around it whose inputs all come through Transposes of the same order, are made by such nodes, or are
// constants.
class TransposedRegion {
 public:
  // Of the graph: as it is while regions are looked at.
  struct Uses {
    std::vector<int> producers;
    std::vector<std::vector<int>> consumers;
    std::vector<bool> leaves;  // values that the graph hands out
  };

  // elements_left: of constants that may still be turned, of all regions together; what is taken is taken off.
  TransposedRegion(Graph& graph, const Uses& uses, int transpose, int64_t& elements_left);

  const std::set<int>& sources() const { return sources_; }
  // Transposes that vanish, less those that are new: behind a node whose result others read.
  int gain() const;
  // Puts the nodes into the graph as they are computed then, each with a Transpose behind it, by the index of the node. The region is used up.
  void write(std::map<int, Node>& behind);
  // Leaves the graph as it was.
  void discard();

 private:
  void grow();
  bool add(int i);
  bool may_try(int i);
  // As the node would read it; kNoValue: it cannot.
  ValueId turned(ValueId id);
  ValueId turned_constant(ValueId id);
  ValueId turned_copy(ValueId id);
  void read_by(ValueId id);
  bool is_source(int i) const;
  bool vanishes(ValueId from, ValueId to) const;
  int left_by(ValueId id) const;

  Graph& graph_;
  const Uses& uses_;
  const AxisOrder order_;
  const size_t values_before_;
  int64_t& elements_left_;
  std::set<int> sources_, candidates_;
  std::set<int> tried_;                  // elementwise nodes, or what was looked at for one
  int above_ = 0;                        // nodes between one that is tried and what it needs
  std::map<int, Node> nodes_;            // as they are written, by index
  std::map<ValueId, ValueId> turned_;    // values as they lie before the Transposes
};

}  // namespace hone::graph
