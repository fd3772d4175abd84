#include "server/agents/runner_group.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "base/json_text.h"

namespace hone::server {

std::shared_ptr<RunnerGroup> RunnerGroup::make(AgentRunner::Config config, Reactor& reactor, ExpectedOutputs& expected,
                                               WorkerPool& workers) {
  return std::shared_ptr<RunnerGroup>(new RunnerGroup(std::move(config), reactor, expected, workers));
}

std::shared_ptr<SessionUser> RunnerGroup::add(const protocol::DeviceInfo& device) {
  AgentRunner::Config config = config_;
  config.target = device.fingerprint.target;
  config.on_presence = [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->on_presence();
  };
  auto member = AgentRunner::make(std::move(config), reactor_, expected_, workers_);
  member->leased(device);
  if (ended_) member->close();
  std::lock_guard lock(mutex_);
  members_.push_back(member);
  return member;
}

RunnerGroup::Members RunnerGroup::members() const {
  std::lock_guard lock(mutex_);
  return members_;
}

void RunnerGroup::submit(tuner::MeasureInput input, OnResult on_result) {
  reactor_.post([self = shared_from_this(), input = std::move(input), on_result = std::move(on_result)]() mutable {
    self->deal(std::move(input), std::move(on_result));
  });
}

void RunnerGroup::deal(tuner::MeasureInput input, OnResult on_result) {
  AgentRunner& member = choose(input);
  member.enqueue(std::move(input), std::move(on_result));
}

// The device with the most room, of those that are there, and of these the one that has worked least; where none is there, one that may
// come back.
AgentRunner& RunnerGroup::choose(const tuner::MeasureInput& input) {
  CHECK(!members_.empty(), "a group measures once it has a device");
  if (auto known = finals_.find(input.task->id); input.in_turns && known != finals_.end() && known->second->present())
    return *known->second;
  const auto rank = [](const std::shared_ptr<AgentRunner>& m) {
    return std::tuple(!m->gone(), m->present(), m->capacity() - static_cast<int>(m->load()), -m->device_ms());
  };
  auto best = std::max_element(members_.begin(), members_.end(),
                               [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (input.in_turns) finals_[input.task->id] = *best;
  return **best;
}

// What waits for a device that is away need not wait while another one is there.
void RunnerGroup::on_presence() {
  const Members all = members();
  const bool some_present = std::any_of(all.begin(), all.end(), [](const auto& m) { return m->present(); });
  const bool some_left = std::any_of(all.begin(), all.end(), [](const auto& m) { return !m->gone(); });
  for (const auto& member : all) {
    if (member->present() || !(some_present || (member->gone() && some_left))) continue;
    for (auto& [input, on_result] : member->recall()) deal(std::move(input), std::move(on_result));
  }
}

int RunnerGroup::capacity() const {
  int all = 0, most = 1;
  for (const auto& member : members()) {
    most = std::max(most, member->capacity());
    if (member->present()) all += member->capacity();
  }
  return all > 0 ? all : most;
}

tuner::RunnerWait RunnerGroup::waits_for() const {
  tuner::RunnerWait wait;
  for (const auto& member : members()) {
    tuner::RunnerWait one = member->waits_for();
    if (one.what.empty()) return {};
    if (wait.what.empty() || !one.device_is_away) wait = std::move(one);
  }
  return wait;
}

void RunnerGroup::cancel() {
  reactor_.post([self = shared_from_this()] {
    self->ended_ = true;
    for (const auto& member : self->members()) member->cancel();
  });
}

void RunnerGroup::prepare_ahead(const te::Task& task) {
  for (const auto& member : members()) member->prepare_ahead(task);
}

// The one that measured it knows of it, and tells its agent.
void RunnerGroup::committed(const Hash& task, const Hash& source, int attempt) {
  for (const auto& member : members()) member->committed(task, source, attempt);
}

// At once, so that the agents hear of it before their leases are given back; and again for a device that was added meanwhile.
void RunnerGroup::close() {
  for (const auto& member : members()) member->close();
  reactor_.post([self = shared_from_this()] {
    self->ended_ = true;
    for (const auto& member : self->members()) member->close();
  });
}

double RunnerGroup::device_ms() const {
  double sum = 0;
  for (const auto& member : members()) sum += member->device_ms();
  return sum;
}

std::vector<std::string> RunnerGroup::enrolments() const {
  std::vector<std::string> all;
  for (const auto& member : members())
    if (std::string one = member->enrolment(); !one.empty()) all.push_back(std::move(one));
  return all;
}

int RunnerGroup::devices_used() const {
  const Members all = members();
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const auto& m) { return m->device_ms() > 0; }));
}

}  // namespace hone::server
