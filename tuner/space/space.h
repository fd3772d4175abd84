// Space: all schedules that the rules allow for a task on a target, as decisions with finite domains. An assignment chooses one value for
// each; `trace` turns it into a schedule or says which limit or legality rule drops it. Deterministic: the same assignment, the same trace.
// Where a variant of the task is legal (schedule/variant.h), the decision `algorithm` chooses between the task's own program and the variants, each of
// which has a space of its own; its decisions follow, their keys preceded by its name. Those of programs that are not chosen are at their first value.
// One thread per Space; the task outlives it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "codegen/schedule/schedule.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"
#include "tuner/space/choices.h"
#include "tuner/space/group_view.h"
#include "tuner/space/machine.h"
#include "tuner/space/trace_builder.h"
#include "tuner/space/sketch.h"

namespace hone::tuner {

struct Scheduled {
  schedule::Trace trace;
  std::unique_ptr<schedule::Schedule> result;  // what the trace makes of the task
  int64_t operations = 0;                      // of the straight-line code, of all launches
};

class Space {
 public:
  static Result<Space> derive(const te::Task& task, const target::Target& target);

  const std::vector<Decision>& decisions() const { return decisions_; }
  const Sketch& sketch() const { return sketch_; }
  double count() const;  // assignments, before pruning

  // The same space with fewer values: of each decision named here only those whose words are listed, of each that is not only the one
  // that `assignment({})` takes. Repairs and mutations stay inside. Words: as `text` prints them. Fails: invalid_argument when a named
  // decision would keep no value.
  Result<Space> restricted(const std::map<std::string, std::vector<std::string>>& words) const;
  // Every assignment that repair leaves as it is and whose trace is legal, in a fixed order. For spaces of some thousands.
  std::vector<Assignment> enumerate() const;
  // Every assignment that repair leaves as it is, in the same order.
  void for_each_repaired(const std::function<void(const Assignment&)>& visit) const;
  bool is_repaired(const Assignment& assignment) const;
  Assignment at(uint64_t index) const;  // each of all count() assignments, repaired or not, has a number of its own

  // The trace of an assignment, pruned; the error's code is kLimitExceeded or kIllegalSchedule. reason: why it is dropped, in words that are the
  // same for all that are dropped for the same.
  Result<schedule::Trace> trace(const Assignment& assignment, std::string* reason = nullptr) const;
  // The same, with its result.
  Result<Scheduled> apply(const Assignment& assignment, std::string* reason = nullptr) const;
  // The assignment of a trace that this space made, from the trace's own words; nullopt for others. A decision that is usually left at its
  // first value may be missing: the trace is older.
  std::optional<Assignment> parse(const schedule::Trace& trace) const;

  Assignment sample(Rng& rng) const;  // uniform, then repaired
  // One decision redrawn, neighbours first; or a factor moved between two decisions of one axis. Repaired.
  Assignment mutate(const Assignment& assignment, Rng& rng) const;
  // Sizes that waste too much of their axis, or more threads than the device has, are halved: threads first, then the inner tile.
  // What is repaired stays as it is.
  void repair(Assignment& assignment) const;

  // Where a search begins: what should take the least time, and the best that differ from it in one decision of which the estimate may be wrong. Never
  // empty unless nothing is legal.
  std::vector<schedule::Trace> seeds() const;

  // What a schedule should take, estimated before anything is measured (gpu_time.h, serial_time.h). It orders choices of one task.
  double time_us(const Assignment& assignment) const;

  // Which program is scheduled: 0 is the task's own, the others, below algorithms(), are variants of it.
  size_t algorithm(const Assignment& assignment) const;
  size_t algorithms() const { return 1 + others_.size(); }

  // By keys: unknown ones are ignored, sizes go to the nearest value, names to the same name.
  Assignment assignment(const std::map<std::string, int64_t>& wanted) const;
  int64_t value(const Assignment& assignment, const std::string& key, int64_t otherwise) const;
  // What is chosen for a group, and for the program.
  Choices choices(const Assignment& assignment, size_t group) const;
  std::string text(const Assignment& assignment) const;  // "rows.threads=8 lanes=4 …"

 private:
  struct Timed {
    double us = 0;  // estimated
    Assignment assignment;
  };
  // Another program for the task, and where its decisions begin.
  struct Algorithm {
    std::string name;
    std::shared_ptr<const te::Task> task;
    std::shared_ptr<const Space> space;
    size_t first = 0;
  };

  // rows: the reductions of a row share a launch with what reads them, where there are any.
  Space(const te::Task& task, const target::Target& target, bool rows);
  void add_decisions();
  void keep_usual(size_t first);  // of each decision from there on
  void add_algorithms();
  void add_algorithm(const te::Alternative& alternative);
  void add_rows_in_fragments();
  void append(Algorithm algorithm);
  const Algorithm* other(const Assignment& assignment) const;  // null: the task's own program
  Assignment part(const Assignment& assignment, const Algorithm& algorithm) const;
  Assignment whole(const Algorithm& algorithm, const Assignment& part) const;
  bool permits(const Algorithm& algorithm) const;
  Assignment sample_own(Rng& rng) const;  // not repaired
  Assignment mutate_own(const Assignment& assignment, Rng& rng) const;
  void clear_others(Assignment& assignment) const;
  void add_seeds_of_others(std::vector<schedule::Trace>& seeds) const;
  GroupView view(size_t group) const { return {*task_, target_, sketch_.groups[group], work_[group], group, !name_.empty()}; }
  void add(std::vector<Decision> decisions);
  std::vector<schedule::Trace> estimated_best(size_t count) const;
  std::vector<Timed> beginnings() const;
  std::optional<Timed> changed(const Assignment& from, size_t decision, size_t value) const;  // repaired; nullopt: nothing
  Timed climbed(Timed from) const;
  Timed shortened(Timed from) const;
  std::vector<Timed> alternatives(const Assignment& best) const;
  bool any_group(const Assignment& assignment, const std::function<bool(const Choices&)>& has) const;
  bool keeps_copies(const Assignment& assignment) const;
  void apply_producers(TraceBuilder& t, const Assignment& assignment) const;
  void apply_terms(TraceBuilder& t, const Group& group, const Choices& choices) const;
  void apply_group(TraceBuilder& t, const Assignment& assignment, size_t group) const;
  void repair_once(Assignment& assignment) const;
  double group_time_us(const GroupView& view, const Choices& choices, const std::vector<bool>& launched) const;
  double time_of(const Producer& producer) const;
  Choices choices_of_producer(const Producer& producer) const;
  std::vector<bool> launched(const Assignment& assignment) const;  // of the producers

  const te::Task* task_;
  target::Target device_;
  target::Target target_;  // the device with subgroups of the largest size that can be asked for, where they differ in size: what choices there are
  bool side_by_side_ = false;  // the target runs threads so, as far as is known
  Sketch sketch_;
  std::vector<GroupWork> work_;  // of each group
  std::vector<double> producer_us_;                // of each, as a launch of its own
  SerialMachine machine_;  // of a target that does not run threads side by side
  std::vector<Decision> decisions_;
  size_t own_ = 0;  // so many of them say how the task's own program is scheduled, and the last of these, if there are others, which is
  std::vector<Algorithm> others_;        // in the order of the values of `algorithm`, from 1
  const te::Task* given_;                // the task, of which a variant's space schedules the variant
  std::vector<schedule::Step> opening_;  // that makes the variant
  std::string name_;                     // of the variant
};

}  // namespace hone::tuner
