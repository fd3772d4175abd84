// Operations: what an expression takes to compute.
#pragma once
#include <vector>

#include "codegen/ir/arena.h"

namespace hone::tuner {

// Of a vector of lanes. Each node counts once, as it is computed once.
struct Operations {
  double floats = 0, wholes = 0;  // on floats, and on whole numbers and conditions: once for all the lanes
  double by_lane = 0;             // for each lane, as there is no vector form
  double joined = 0;              // of these, those whose results a vector takes up
  double loads = 0, loads_by_lane = 0;

  // Apart from loads.
  // In operations on floats; one on whole numbers, of which a vector needs one where it needs four of floats, is a quarter.
  double at_once() const { return floats + wholes / 4; }
  double of_one_lane() const { return floats + (wholes + by_lane) / 4; }
  // Of the code, loads among them.
  double written(double lanes) const { return floats + wholes + loads + (by_lane + loads_by_lane) * lanes; }

  Operations& operator+=(const Operations& other) {
    floats += other.floats, wholes += other.wholes, by_lane += other.by_lane, joined += other.joined, loads += other.loads, loads_by_lane += other.loads_by_lane;
    return *this;
  }
};

// lanes: the variables that differ from lane to lane; none: all is done once. Linear in the nodes.
Operations operations_of(const std::vector<ir::Expr>& values, const std::vector<ir::Var>& lanes);

}  // namespace hone::tuner
