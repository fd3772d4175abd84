// Where attached stages keep what they compute, and reductions their accumulators. Part of build_loops.
#pragma once
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/schedule/schedule.h"

namespace hone::lower {

// Of a stage that is spread over lanes: pieces of `width` elements lie in turns in the `lanes` threads of a row, which are those of their
// subgroup from number `first` on.
struct Spread {
  int64_t lanes = 1, width = 1;
  ir::Expr first = nullptr;
};

// Where an attached stage's output lives: one flat buffer over the chosen levels of its boxes.
struct Storage {
  const schedule::Stage* stage = nullptr;
  ir::Buffer buffer = nullptr;
  std::vector<std::pair<size_t, size_t>> dims;  // (axis, level), outermost first
  std::vector<int64_t> extents;                 // per dim, a row's with its padding
  int row = -1;                                 // the innermost dim of more than one element; -1: there is none
  ir::Expr slot = nullptr;                      // double-buffered: which of the two halves this iteration uses
  std::optional<Spread> spread;
  int64_t elements = 1;  // of the buffer
};
using StorageMap = std::unordered_map<ir::Buffer, Storage>;

// Of an attached stage, without the buffer.
Storage storage_of(schedule::Schedule& schedule, const schedule::Stage& stage);

// Loops whose iterations hold an accumulator each at the same time, outermost first; lanes always do, and come last. In workgroup memory
// each thread has one: neighbouring threads lie side by side. Lanes of a subgroup keep their parts in registers.
std::vector<const schedule::Loop*> accumulator_dims(const schedule::Schedule& schedule, const schedule::Stage& stage);

}  // namespace hone::lower
