// TraceBuilder: records a trace and applies each step at once to a schedule, so that a sketch can ask what loops a stage has now.
// After the first refused step nothing more is applied; `status` says why.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codegen/schedule/schedule.h"
#include "codegen/te/task.h"

namespace hone::tuner {

class TraceBuilder {
 public:
  TraceBuilder(const te::Task& task, const target::Target& target)
      : schedule_(std::make_unique<schedule::Schedule>(task, target)) {}

  void add(schedule::Step step);
  // Refuses the schedule: a limit of the target or of the space. reason: the same for all that are refused for the same; "": the message without
  // its names and numbers.
  void refuse(ErrorCode code, std::string message, std::string reason = "");

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  const std::string& reason() const { return reason_; }  // "" while ok
  // What is scheduled: the task, or the variant that a step made of it.
  const te::Task& task() const { return schedule_->task(); }
  const target::Target& target() const { return schedule_->target(); }

  // Null when there is no such stage or a step was refused.
  const schedule::Stage* stage(const std::string& name) const;
  // The loops of a stage that stand for its axis `axis` (spatial axes, then reduce axes), outer to inner.
  std::vector<schedule::Loop> loops_of_axis(const std::string& stage, size_t axis) const;
  // The position of an axis by its name, spatial axes before reduce axes; -1 if absent.
  int axis_named(const std::string& stage, const std::string& name) const;
  // The name, or one like it where a stage has it: launches may keep copies of one tensor.
  std::string free_name(std::string name) const;
  // The name, or one like it where an axis of the stage has it.
  std::string free_axis(const std::string& stage, std::string name) const;
  schedule::Schedule& schedule() { return *schedule_; }
  schedule::Trace take(std::string sketch);
  std::unique_ptr<schedule::Schedule> take_schedule() { return std::move(schedule_); }

 private:
  std::unique_ptr<schedule::Schedule> schedule_;
  schedule::Trace trace_;
  Status status_ = ok_status();
  std::string reason_;
};

// Makes neighbouring outermost loops of a root stage one, which the cores share; its name.
std::string share_among_cores(TraceBuilder& t, const std::string& stage, const std::vector<std::string>& loops);

}  // namespace hone::tuner
