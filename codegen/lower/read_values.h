// How a stage's body reads its operands, once the stage's place is known: axes become loop expressions, attached producers are addressed
// in their compact storage, guarded reads become masked loads. Part of build_loops.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/lower/place_storage.h"
#include "codegen/schedule/schedule.h"

namespace hone::lower {

class ReadValues {
 public:
  ReadValues(schedule::Schedule& schedule, const StorageMap& storage)
      : s_(schedule), a_(schedule.arena()), storage_(storage) {}

  // The body expression e (over the stage's axes) at the stage's place.
  ir::Expr read(const schedule::Stage& stage, ir::Expr e);
  // Index of the stage's own current element in its storage.
  ir::Expr own_index(const Storage& storage);
  // Of a stage that is spread: which of a row's lanes has its own current element.
  ir::Expr own_lane(const Storage& storage);
  // Does the stage's own current element lie in its storage? (A copy's loops may overshoot its box.)
  ir::Expr inside(const Storage& storage);
  // The stage's guard at its place; true where there is none.
  ir::Expr guard(const schedule::Stage& stage);
  // value < extent, simplified.
  ir::Expr below(ir::Expr value, int64_t extent);
  // Replaces the program's tensors by the kernel's buffers and simplifies all index arithmetic.
  ir::Stmt retarget(ir::Stmt s);
  void set_global(const std::unordered_map<ir::Buffer, ir::Buffer>* global) { global_ = global; }

 private:
  ir::Expr lower(ir::Expr e, ir::Expr mask);
  ir::Expr lower_select(ir::Expr e, ir::Expr mask);
  ir::Expr lower_load(ir::Expr e, ir::Expr mask);
  ir::Expr flat_index(const Storage& storage, const std::vector<ir::Expr>& index);
  ir::Expr own_flat_index(const Storage& storage);
  ir::Expr index_in_lane(const Spread& spread, ir::Expr flat);
  ir::Expr lane_of(const Spread& spread, ir::Expr flat);
  ir::Expr stored(const Storage& storage, ir::Expr flat);

  schedule::Schedule& s_;
  ir::Arena& a_;
  const StorageMap& storage_;
  const std::unordered_map<ir::Buffer, ir::Buffer>* global_ = nullptr;
  bool may_overshoot_ = false;  // the current stage computes points beyond its extents, whose results are discarded
  std::map<std::pair<ir::Expr, ir::Expr>, ir::Expr> memo_;
};

}  // namespace hone::lower
