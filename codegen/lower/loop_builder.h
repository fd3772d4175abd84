// LoopBuilder: makes loops of a schedule (build_loops.h), stage by stage. Parts of a reduction that threads or lanes join stand in join_parts.cc, terms that find
// their elements in ordered_terms.cc.
#pragma once
#include <map>

#include "codegen/lower/build_loops.h"
#include "codegen/lower/place_storage.h"
#include "codegen/lower/read_values.h"

namespace hone::lower {

using ir::Buffer;
using ir::Expr;
using ir::Place;
using ir::Scope;
using ir::Stmt;
using ir::Var;
using schedule::Loop;
using schedule::Schedule;
using schedule::Stage;

class LoopBuilder {
 public:
  LoopBuilder(const te::Task& task, Schedule& schedule)
      : task_(task), s_(schedule), a_(schedule.arena()), values_(schedule, storage_) {}

  Result<ir::Kernel> build();

 private:
  Stmt nest(Stage& stage, size_t level);
  Stmt shared_nest(Stage& stage);
  bool feeds_copy(const Stage& stage) const;
  bool reads_any(const Stage& reader, const std::vector<const Stage*>& written) const;
  Stmt rotate(const Loop& l, Stmt shared, Stmt ahead, Stmt use);
  Stmt wrap(Stage& stage, size_t level, Stmt inner);
  Stmt in_each_lane(const Stage& stage, const Loop& l, Stmt body);
  Stmt loop(const Loop& l, Stmt body);
  Stmt spatial_nest(Stage& stage, size_t from, const std::function<Stmt()>& leaf);
  Stmt reduction(Stage& stage);
  Stmt update(Stage& stage, size_t level);
  Stmt update_leaf(Stage& stage);
  Stmt scatter(Stage& stage);
  Stmt scatter_leaf(Stage& stage);
  Stmt scan_leaf(Stage& stage);
  template <class Terms>
  bool has_terms(const Stage& stage, const std::optional<Terms>& terms);
  Expr counts(Stage& stage, Expr condition);
  Expr in_bounds(Stage& stage);
  Stmt join_threads(Stage& stage);
  Stmt join_lanes(Stage& stage);
  Stmt exchange(Stage& stage, int64_t difference);
  std::vector<Stmt> regroup(Stage& stage, int64_t subgroup, int64_t groups);
  Stmt written_by_one(Stage& stage);
  Stmt part_leaf(Stage& stage);
  Stmt combine_parts(Stage& stage, Expr into, Expr from);
  std::vector<Stmt> combined(Stage& stage, const ir::VarMap& map);
  Stmt store_outputs(Stage& stage, const std::vector<Expr>& values);
  std::vector<Expr> map_values(Stage& stage);
  std::vector<Expr> finish_values(Stage& stage);
  Expr accumulator(Stage& stage, size_t component);
  Stmt store_accumulator(Stage& stage, size_t component, Expr value);
  void place(Stage& stage);
  void check_turns(const Stage& stage, const Storage& storage);
  Stmt only_if(const Stage& stage, Expr condition, Stmt body);
  void place_accumulators(Stage& stage);
  bool accumulates_in_place(const Stage& stage) const {
    return !stage.root() && stage.scope == Scope::kRegister && stage.compute.finish.empty() && !stage.joining();
  }

  const te::Task& task_;
  Schedule& s_;
  ir::Arena& a_;
  StorageMap storage_;
  ReadValues values_;
  std::map<const Stage*, std::vector<std::pair<Buffer, Expr>>> accumulators_;  // buffer and flat index
  ir::VarMap renamed_;  // fresh variables of init and finish nests
  std::vector<Stmt> register_allocs_;
  Status status_ = ok_status();
  int serial_depth_ = 0;  // serial loops around the current statement, within the launch
};

}  // namespace hone::lower
