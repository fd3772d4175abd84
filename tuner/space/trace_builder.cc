#include "tuner/space/trace_builder.h"

#include "base/cat.h"
#include "codegen/ir/mutator.h"

namespace hone::tuner {

namespace {

// Quoted names become … and numbers N.
std::string without_particulars(const std::string& message) {
  std::string out;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    const size_t end = c == '\'' ? message.find('\'', i + 1) : std::string::npos;
    if (end != std::string::npos) {
      out += "…";
      i = end;
    } else if (c >= '0' && c <= '9') {
      if (out.empty() || out.back() != 'N') out += 'N';
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void TraceBuilder::add(schedule::Step step) {
  if (!status_.ok()) return;
  Status applied = schedule_->apply(step);
  if (!applied.ok()) refuse(applied.error().code, applied.error().message);
  trace_.steps.push_back(std::move(step));
}

void TraceBuilder::refuse(ErrorCode code, std::string message, std::string reason) {
  if (!status_.ok()) return;
  reason_ = reason.empty() ? without_particulars(message) : std::move(reason);
  if (code == ErrorCode::kIllegalSchedule) reason_ = cat("illegal: ", reason_);
  status_ = Error{code, std::move(message)};
}

const schedule::Stage* TraceBuilder::stage(const std::string& name) const {
  int position = status_.ok() ? schedule_->find(name) : -1;
  return position < 0 ? nullptr : &schedule_->stages()[static_cast<size_t>(position)];
}

std::vector<schedule::Loop> TraceBuilder::loops_of_axis(const std::string& name, size_t axis) const {
  std::vector<schedule::Loop> loops;
  const schedule::Stage* found = stage(name);
  if (!found || axis >= found->axis_value.size()) return loops;
  for (const schedule::Loop& loop : found->order)
    if (ir::uses_var(found->axis_value[axis], loop.var)) loops.push_back(loop);
  return loops;
}

int TraceBuilder::axis_named(const std::string& name, const std::string& axis) const {
  const schedule::Stage* found = stage(name);
  if (!found) return -1;
  int position = 0;
  for (const te::Axis& a : found->compute.axes) {
    if (a.name == axis) return position;
    ++position;
  }
  if (found->compute.reduce)
    for (const te::Axis& a : found->compute.reduce->axes) {
      if (a.name == axis) return position;
      ++position;
    }
  return -1;
}

std::string TraceBuilder::free_name(std::string name) const {
  while (schedule_->find(name) >= 0) name += "_";
  return name;
}

std::string TraceBuilder::free_axis(const std::string& stage, std::string name) const {
  while (axis_named(stage, name) >= 0) name += "_";
  return name;
}

schedule::Trace TraceBuilder::take(std::string sketch) {
  trace_.sketch = std::move(sketch);
  return std::move(trace_);
}

std::string share_among_cores(TraceBuilder& t, const std::string& stage, const std::vector<std::string>& loops) {
  std::string shared = loops[0];
  if (loops.size() > 1) {
    shared = t.free_axis(stage, "cores");
    t.add(schedule::fuse(stage, loops, shared));
  }
  t.add(schedule::bind(stage, shared, "core"));
  return shared;
}

}  // namespace hone::tuner
