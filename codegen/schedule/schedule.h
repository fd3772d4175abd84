// Schedule: a te::Program with the decisions of a trace applied, step by step. Stages form a forest: root stages are launches, the others
// are computed inside a loop of their consumer. Legality and effect of each primitive: primitives/*.cc and docs/schedule.md.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "codegen/arith/analyzer.h"
#include "codegen/schedule/region.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::schedule {

using ir::Buffer;
using ir::Expr;
using ir::Place;
using ir::Var;

struct Loop {
  std::string name;
  Var var = nullptr;  // range [0, extent)
  int64_t extent = 0;
  Place place = Place::kSerial;
  bool reduce = false;
  bool lanes = false;  // of thread.x: consecutive lanes of subgroups, which exchange what they have
};

// Axes of the stage that were fused as a whole: axis `axis` of the compute stands for dimensions of these extents, outermost first.
struct Fused {
  Var axis = nullptr;
  std::string name;
  std::vector<int64_t> extents;
  std::vector<Expr> parts;  // the original axes as expressions of `axis`
};

enum class ScanForm : uint8_t { kNone, kInclusive, kExclusive };

struct Stage {
  std::string name;
  te::Compute compute;  // a copy: primitives rewrite it. Its axes' variables are placeholders for axis_value
  std::vector<std::vector<Expr>> store_index;  // per output: where a value goes, over the compute's axes
  std::vector<Loop> order;                     // outer to inner
  std::vector<Expr>
      axis_value;  // spatial axes, then reduce axes: expressions of loop variables (own and of enclosing stages)
  std::vector<Fused> fused;
  ir::Scope scope = ir::Scope::kArg;  // kArg/kScratch for root stages
  int consumer = -1;                  // the stage below whose loop this one is computed; -1: a root
  Var at = nullptr;                   // that loop's variable
  std::vector<Box> boxes;             // attached: per axis of the compute's outputs, the region that one visit computes
  std::vector<int>
      storage_order;    // attached: `layout`'s order of the axes, outermost first; empty: chosen by place_storage
  int64_t padding = 0;  // attached: spare elements per row, the innermost storage dimension of more than one element
  Expr guard =
      nullptr;  // over the compute's axes: where it is false a point of the reduction adds nothing; null: all count
  std::vector<Var> scattered;       // `scatter`: the axes of the compute along which a term finds its element; the sums lie in the result
  ScanForm scan = ScanForm::kNone;  // `scan`: each sum on the way is an element, after its own term or before it
  bool reads_beyond = false;  // a copy for a guarded stage: where the guard is false its reads may leave their tensors
  bool inlined = false;
  bool double_buffered = false;
  bool spread =
      false;  // in registers: of what all lanes of a row of thread.x read, each loads a part, and has the others' from them
  bool sampled = false;                // a root: its launch reads textures by their sampler, not by texel
  std::optional<ir::DType> stored_as;  // `precision`: what its results are kept as; absent: as they are computed

  bool root() const { return consumer < 0; }
  bool is_scattered(const Loop& loop) const;  // the loop of an axis along which terms find their element?
  bool in_order() const { return !scattered.empty() || scan != ScanForm::kNone; }  // terms are taken one after the other
  Loop* loop(const std::string& name);
  int loop_position(Var var) const;  // -1 if absent
  size_t reduce_begin() const;       // position of the outermost reduce loop in `order`; order.size() if none
  const Loop* joining() const;  // the reduce loop bound to threads, whose parts are joined across them; null if none
};

class Schedule {
 public:
  Schedule(const te::Task& task, const target::Target& target);

  // Applies one step or says why it is illegal (illegal_schedule); the schedule is then unusable.
  Status apply(const Step& step);

  ir::Arena& arena() { return *arena_; }
  std::shared_ptr<ir::Arena> shared_arena() const { return arena_; }
  arith::Analyzer& analyzer() { return analyzer_; }
  const te::Program& program() const { return task().program; }
  const te::Task& given() const { return task_; }  // outlives the schedule
  // What is scheduled: the task, or with the program that `variant` chose.
  const te::Task& task() const { return rewritten_ ? *rewritten_ : task_; }
  const target::Target& target() const { return target_; }
  std::vector<Stage>& stages() { return stages_; }  // in dependency order; inlined ones included
  const std::vector<Stage>& stages() const { return stages_; }

  int find(const std::string& stage) const;  // -1 if absent
  // Stages that read an output of `stage` and are not inlined.
  std::vector<int> consumers(int stage) const;
  // Of the attached `stage`: the stages computed in the same loop that read it, themselves or in what is computed inside them.
  std::vector<int> sibling_readers(int stage) const;
  bool is_output(Buffer buffer) const;
  // What `layout` chose for an argument or for a temporary in global memory.
  std::optional<ir::Layout> chosen_layout(Buffer buffer) const;
  void choose_layout(Buffer buffer, ir::Layout layout) { layouts_[buffer] = std::move(layout); }
  // What `precision` keeps the elements of an argument as: its own type unless it chose another one.
  ir::DType kept_as(Buffer argument) const;
  void keep_as(Buffer argument, ir::DType kept) { kept_[argument] = kept; }

  int64_t asked_subgroup_size() const { return asked_subgroup_size_; }  // 0: none

  // Used by the primitives.
  bool is_fresh() const { return fresh_; }  // has no step been applied?
  void ask_for_subgroups(
      int64_t threads);            // of that size, of a device with several: its target then has subgroups of this one
  void restart(te::Task task);     // schedules this task instead, whose nodes lie in the same arena
  void reset_loops(Stage& stage);  // one loop per axis, spatial before reduce
  int insert_before(int position, Stage stage);  // keeps indices in `consumer` right
  Expr to_loops(const Stage& stage, Expr e);     // axes' placeholders → axis_value

 private:
  void make_stages();
  // The tensors that e loads, each once. Remembered, as nodes never change.
  const std::vector<Buffer>& loaded_by(Expr e) const;

  const te::Task& task_;
  std::unique_ptr<te::Task> rewritten_;
  bool fresh_ = true;
  int64_t asked_subgroup_size_ = 0;
  target::Target target_;
  std::shared_ptr<ir::Arena> arena_;
  arith::Analyzer analyzer_;
  std::vector<Stage> stages_;
  std::unordered_map<Buffer, ir::Layout> layouts_;
  std::unordered_map<Buffer, ir::DType> kept_;
  mutable std::unordered_map<Expr, std::vector<Buffer>> loaded_;
};

// The greatest relative error of a number as f16, and the tolerance from which a task may keep values so: operands of both sides of a product.
constexpr double kF16Rounding = 1.0 / 2048, kF16ToleranceMin = 2 * kF16Rounding;
bool permits_f16(const te::Accuracy& accuracy);

// Replays a whole trace. The error names the step.
Result<std::unique_ptr<Schedule>> apply_trace(const te::Task& task, const Trace& trace, const target::Target& target);
// Can the schedule be lowered as it stands? Stages kept in registers or workgroup memory hang under a loop, whoever reads an attached stage
// runs inside the loop that computes it, and all threads of a workgroup reach what they do together. Fails: illegal_schedule.
Status check_complete(const Schedule& schedule);
// A readable dump: each stage with its loops, places, attachments and scopes.
std::string print_schedule(const Schedule& schedule);

}  // namespace hone::schedule
