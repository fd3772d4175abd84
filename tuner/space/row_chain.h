// Rows: reductions over the same elements of a row, that read one another, and the Map behind them that reads them all.
#pragma once
#include <optional>

#include "tuner/space/sketch.h"

namespace hone::tuner {

// What a compute's value and its finish load, each load once.
std::vector<ir::Expr> loads_of(const te::Compute& compute);

// The reduce axes of a compute in the order in which the largest tensor that it reads holds them, outermost first.
std::vector<int> reduce_order(const te::Task& task, const te::Compute& compute);

// The Maps between a row group's reductions that several of its stages read along the line: worth keeping for a row.
std::vector<int> shared_maps(const te::Task& task, const Group& group);

// The whole task as one row group, if it is one: every reduction's result is read at the row's axes alone, no reduction has an operand that
// other rows share, and the rest of the root's axes is innermost in memory. Maps between are inlined.
std::optional<Group> find_row_chain(const te::Task& task);

}  // namespace hone::tuner
