#include "server/agents/agent_runner.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/log.h"
#include "server/agents/frames.h"
#include "server/agents/limits.h"

namespace hone::server {

namespace {

size_t code_bytes(const tuner::MeasureInput& input) {
  size_t bytes = 0;
  for (const emit::LaunchSource& launch : input.source.launches) bytes += launch.code.size();
  return bytes;
}

bool same_policy(const tuner::MeasureInput& a, const tuner::MeasureInput& b) {
  return a.samples_wanted == b.samples_wanted && a.in_turns == b.in_turns && a.cache == b.cache &&
         a.model_bytes == b.model_bytes && a.both_caches == b.both_caches;
}

}  // namespace

std::shared_ptr<AgentRunner> AgentRunner::make(Config config, Reactor& reactor, ExpectedOutputs& expected,
                                               WorkerPool& workers) {
  auto runner = std::shared_ptr<AgentRunner>(new AgentRunner(std::move(config), reactor, expected, workers));
  reactor.post([runner] { runner->start_reattach_timer(); });
  return runner;
}

int AgentRunner::capacity() const {
  const double each_ms = candidate_ms_;
  if (each_ms <= 0) return static_cast<int>(kCreditsFirst);
  return static_cast<int>(std::clamp<double>(std::ceil(kWorkAheadMs / each_ms), kCreditsMin, kCreditsMax));
}

void AgentRunner::learn_pace(double device_ms) {
  device_ms_ = device_ms_ + device_ms;
  if (device_ms <= 0) return;
  candidate_ms_ = candidate_ms_ > 0 ? (1 - kWorkNewest) * candidate_ms_ + kWorkNewest * device_ms : device_ms;
}

void AgentRunner::submit(tuner::MeasureInput input, OnResult on_result) {
  reactor_.post([self = shared_from_this(), input = std::move(input), on_result = std::move(on_result)]() mutable {
    self->enqueue(std::move(input), std::move(on_result));
  });
}

void AgentRunner::enqueue(tuner::MeasureInput input, OnResult on_result) {
  Waiting waiting{std::move(input), std::move(on_result)};
  if (closed_) return answer(waiting, ErrorCode::kCancelled, "the job was cancelled");
  if (gone()) return answer(waiting, ErrorCode::kAgentGone, gone_reason_);
  queue_.push_back(std::move(waiting));
  // One pump for all that is submitted in one go: they travel in one batch.
  if (std::exchange(pump_posted_, true)) return;
  reactor_.post([self = shared_from_this()] {
    self->pump_posted_ = false;
    self->pump();
  });
}

std::vector<std::pair<tuner::MeasureInput, AgentRunner::OnResult>> AgentRunner::recall() {
  std::vector<std::pair<tuner::MeasureInput, OnResult>> back;
  for (Waiting& waiting : std::exchange(queue_, {}))
    back.emplace_back(std::move(waiting.input), std::move(waiting.on_result));
  return back;
}

void AgentRunner::set_link(AgentLink* link) {
  link_ = link;
  present_ = link != nullptr;
  note_wait();
}

tuner::RunnerWait AgentRunner::waits_for() const {
  std::lock_guard lock(wait_mutex_);
  return wait_;
}

std::string AgentRunner::enrolment() const {
  std::lock_guard lock(wait_mutex_);
  return enrolment_;
}

void AgentRunner::note_enrolment(const std::string& enrolment) {
  std::lock_guard lock(wait_mutex_);
  enrolment_ = enrolment;
}

void AgentRunner::note_wait() {
  tuner::RunnerWait wait;
  if (!link_) {
    wait = awaits_turn_ ? turn_of_others() : device_away(config_.reattach_ms);
  } else if (outstanding_.empty() && !queue_.empty()) {
    const bool computing = tasks_[queue_.front().input.task->id].state == TaskState::kComputing;
    wait.what = computing ? "the reference outputs" : "the device, which gets the task's data";
  }
  std::lock_guard lock(wait_mutex_);
  wait_ = std::move(wait);
}

void AgentRunner::prepare_ahead(const te::Task& task) {
  reactor_.post([self = shared_from_this(), &task] {
    if (!self->closed_ && !self->expected_of_.count(task.id)) self->ensure_prepared(task);
  });
}

void AgentRunner::cancel() {
  reactor_.post([self = shared_from_this()] {
    std::set<uint64_t> batches;
    for (const auto& [key, outstanding] : self->outstanding_) batches.insert(outstanding.batch);
    if (self->link_)
      for (uint64_t batch : batches) self->link_->send(protocol::Cancel{.batch = batch});
    self->closed_ = true;
    self->expected_.cancel_unwanted();
    self->fail_all(ErrorCode::kCancelled, "the job was cancelled");
    self->leave_when_settled();
  });
}

// Under a lease that has ended they would be refused.
void AgentRunner::leave_when_settled() {
  if (uncommitted_.empty()) leave();
}

void AgentRunner::leave() {
  if (link_) link_->send(protocol::Release{});
  on_timing(false);
  set_link(nullptr);
  tell_given_up();
}

void AgentRunner::committed(const Hash& task, const Hash& source, int attempt) {
  reactor_.post([self = shared_from_this(), what = std::pair(task, source), attempt] {
    auto found = std::find_if(self->uncommitted_.begin(), self->uncommitted_.end(),
                              [&](const auto& entry) { return entry.first.second == attempt && entry.second == what; });
    if (found == self->uncommitted_.end()) return;
    protocol::ResultAck ack{.trial = found->first.first, .attempt = static_cast<uint32_t>(attempt)};
    self->uncommitted_.erase(found);
    if (self->link_) self->link_->send(ack);
    if (self->closed_) self->leave_when_settled();
  });
}

void AgentRunner::close() {
  reactor_.post([self = shared_from_this()] {
    self->closed_ = true;
    self->expected_.cancel_unwanted();
    self->queue_.clear();
    self->outstanding_.clear();
    self->leave();
  });
}

void AgentRunner::leased(const protocol::DeviceInfo& device) {
  agent_id_ = device.agent_id;
  physical_id_ = device.physical_id.value_or("");
  fingerprint_json_ = json_line(protocol::to_json(device.fingerprint));
}

void AgentRunner::attach(AgentLink& link, uint64_t fence) {
  detach();
  ++session_;
  set_link(&link);
  fence_ = fence;
  note_enrolment(link.lease().enrolment);
  if (config_.on_presence) config_.on_presence();
  pump();
}

void AgentRunner::detach() {
  if (!link_) return;
  on_timing(false);
  set_link(nullptr);
  ++session_;
  for (auto& [id, task] : tasks_)
    if (task.state != TaskState::kComputing) task.state = TaskState::kUnknown;
  answer_outstanding_as_gone();
  if (closed_) return;
  start_reattach_timer();
  if (config_.on_presence) config_.on_presence();
}

void AgentRunner::start_reattach_timer() {
  reactor_.after(config_.reattach_ms, [self = shared_from_this(), session = session_] {
    if (self->session_ == session && !self->link_ && !self->closed_ && !self->awaits_turn_)
      self->abandon(
          cat("the device did not come back within ", static_cast<int>(self->config_.reattach_ms / 1000), " s"));
  });
}

void AgentRunner::await_turn(bool waits) {
  awaits_turn_ = waits;
  answered_ms_ = reactor_.now_ms();
  ++session_;
  if (!waits) start_reattach_timer();
  note_wait();
}

void AgentRunner::abandon(const std::string& reason) {
  give_up(reason);
  reactor_.post([self = shared_from_this()] { self->tell_given_up(); });
}

// What waits for its reference waits for this host.
bool AgentRunner::agent_owes() const {
  const auto sendable = [this](const Waiting& waiting) { return expected_of_.count(waiting.input.task->id) > 0; };
  return !awaits_turn_ && (!outstanding_.empty() || std::any_of(queue_.begin(), queue_.end(), sendable));
}

void AgentRunner::watch_answers() {
  if (watching_answers_ || !agent_owes()) return;
  watching_answers_ = true;
  answered_ms_ = reactor_.now_ms();
  look_for_answers();
}

void AgentRunner::look_for_answers() {
  const double left_ms = answered_ms_ + kAnswerMaxMs - reactor_.now_ms();
  if (left_ms <= 0)
    return abandon(cat("the agent has answered nothing for ", static_cast<int>(kAnswerMaxMs / 1000),
                       " s; restart it, then repeat the command"));
  reactor_.after(left_ms, [self = shared_from_this()] {
    self->watching_answers_ = !self->closed_ && !self->gone() && self->agent_owes();
    if (self->watching_answers_) self->look_for_answers();
  });
}

void AgentRunner::give_up(const std::string& reason) {
  gone_reason_ = reason;
  if (config_.on_presence && !closed_) config_.on_presence();
  fail_all(ErrorCode::kAgentGone, reason);
}

// The agent works in the order of sending. The oldest candidate was on the device when the session ended: if it had used up its time, it
// is the likely cause, and must not be tried for ever as if it were innocent.
void AgentRunner::answer_outstanding_as_gone() {
  bool overdue = reactor_.now_ms() - running_since_ms_ > kCandidateCapMs;
  auto oldest = std::min_element(outstanding_.begin(), outstanding_.end(),
                                 [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
  Key suspect = oldest == outstanding_.end() ? Key{} : oldest->first;
  for (auto& [key, outstanding] : std::exchange(outstanding_, {})) {
    tuner::MeasureResult result{.trial_id = key.first, .attempt = key.second};
    bool late = overdue && key == suspect;
    result.outcome = late ? ErrorCode::kTimeout : ErrorCode::kAgentGone;
    result.message = late ? "the agent went away after the candidate had used up its time"
                          : "the agent's connection ended before the result";
    outstanding.on_result(std::move(result));
  }
}

void AgentRunner::receive(const protocol::SessionFromAgent& message, const SharedBytes&) {
  if (!link_) return;
  if (auto* ready = std::get_if<protocol::TaskReady>(&message)) on_task_ready(*ready);
  if (auto* result = std::get_if<protocol::CandidateResult>(&message)) on_result(*result);
  if (auto* timing = std::get_if<protocol::Timing>(&message)) on_timing(timing->active);
  if (auto* error = std::get_if<protocol::ErrorReply>(&message)) 
    log_warn(cat("the agent reports: ", error->message),
             {{"agent", agent_id_}, {"device", physical_id_}});
}

void AgentRunner::on_timing(bool active) {
  if (timing_ == active || (active && !link_->same_host())) return;
  timing_ = active;
  active ? workers_.pause() : workers_.resume();
}

void AgentRunner::on_result(const protocol::CandidateResult& result) {
  Key key{result.trial, static_cast<int>(result.attempt)};
  if (uncommitted_.count(key)) return;  // sent again before its record was committed: the acknowledgement is under way
  auto found = outstanding_.find(key);
  if (found == outstanding_.end() || result.fence != fence_) {
    // Known before, answered as agent_gone, or of another lease: refused for good, so that the agent stops sending it.
    link_->send(protocol::ResultAck{.trial = result.trial, .attempt = result.attempt});
    return;
  }
  OnResult on_result = std::move(found->second.on_result);
  uncommitted_[key] = {found->second.task, found->second.source};
  const Asked asked = found->second.asked;
  outstanding_.erase(found);
  running_since_ms_ = answered_ms_ = reactor_.now_ms();
  tuner::MeasureResult measured = measure_result(result, asked);
  learn_pace(measured.device_ms);
  measured.fingerprint_json = fingerprint_json_;
  measured.agent = agent_id_;
  measured.device = physical_id_;
  measured.lease_id = link_->lease().lease_id;
  measured.enrolment = link_->lease().enrolment;
  measured.trusted = link_->lease().trusted;
  on_result(std::move(measured));
  pump();
}

void AgentRunner::pump() {
  if (!link_ || closed_) return;
  // Every queued task is prepared as soon as it is seen, so that the device is not idle between two tasks.
  std::set<Hash> seen;
  for (size_t i = 0; i < queue_.size(); ++i) {
    const te::Task& task = *queue_[i].input.task;
    if (seen.insert(task.id).second) ensure_prepared(task);
  }
  while (link_ && outstanding_.size() < static_cast<size_t>(capacity())) {
    size_t before = outstanding_.size();
    send_batch();
    if (outstanding_.size() == before) break;
  }
  note_wait();
  watch_answers();
}

// Finalists are compared with each other: they are not divided among batches for want of credits.
bool AgentRunner::fits_in_turns(const Waiting& first) const {
  const auto beside = std::count_if(queue_.begin(), queue_.end(), [&](const Waiting& other) {
    return other.input.in_turns && other.input.task->id == first.input.task->id;
  });
  return outstanding_.empty() || outstanding_.size() + static_cast<size_t>(beside) <= static_cast<size_t>(capacity());
}

// Takes the first candidate whose task is ready and those of the same task and policy behind it, while credits and bytes allow.
void AgentRunner::send_batch() {
  auto ready = [this](const Waiting& w) { return tasks_[w.input.task->id].state == TaskState::kReady; };
  auto first = std::find_if(queue_.begin(), queue_.end(), ready);
  if (first == queue_.end() || (first->input.in_turns && !fits_in_turns(*first))) return;
  const size_t credits = first->input.in_turns ? kCreditsMax : static_cast<size_t>(capacity());
  auto start = std::chrono::steady_clock::now();
  const Hash task = first->input.task->id;
  protocol::Measure frame{
      .batch = next_batch_++, .fence = fence_, .task = task.hex(), .policy = measure_policy(first->input)};
  const tuner::MeasureInput how = {.samples_wanted = first->input.samples_wanted,
                                   .cache = first->input.cache,
                                   .both_caches = first->input.both_caches,
                                   .model_bytes = first->input.model_bytes,
                                   .in_turns = first->input.in_turns};
  size_t bytes = 0;
  std::string modules;
  for (auto it = first; it != queue_.end() && outstanding_.size() < credits;) {
    size_t more = code_bytes(it->input);
    if (it->input.task->id != task || !same_policy(it->input, how) || (bytes > 0 && bytes + more > kMeasureBytesMax)) {
      ++it;
      continue;
    }
    bytes += more;
    if (outstanding_.empty()) running_since_ms_ = reactor_.now_ms();
    frame.candidates.push_back(candidate_frame(it->input));
    append_modules(it->input, modules);
    outstanding_[{it->input.trial_id, it->input.attempt}] = {std::move(it->on_result),
                                                             task,
                                                             it->input.source.hash,
                                                             asked_of(it->input, config_.target),
                                                             frame.batch,
                                                             next_order_++};
    it = queue_.erase(it);
  }
  link_->send(frame, modules);
  for (size_t i = 0; i < frame.candidates.size(); ++i)
    config_.encode_timings->add(ms_since(start) / static_cast<double>(frame.candidates.size()));
}

// True when candidates of the task may be sent; else takes the next step towards that.
bool AgentRunner::ensure_prepared(const te::Task& task) {
  TaskEntry& entry = tasks_[task.id];
  if (entry.state == TaskState::kReady) return true;
  if (entry.state != TaskState::kUnknown) return false;
  if (auto known = expected_of_.find(task.id); known != expected_of_.end()) {
    if (link_) send_prepare(task, *known->second);
    return false;
  }
  entry.state = TaskState::kComputing;
  const auto is_wanted = [self = shared_from_this()] { return !self->closed_; };
  expected_.request(task, is_wanted, [self = shared_from_this(), &task](Result<ExpectedPtr> expected) {
    self->reactor_.post([self, &task, expected = std::move(expected)] {
      if (self->closed_) return;
      self->tasks_[task.id].state = TaskState::kUnknown;
      if (!expected.ok()) return self->fail_task(task.id, expected.error(), true);
      self->expected_of_[task.id] = *expected;
      self->pump();
    });
  });
  return false;
}

void AgentRunner::send_prepare(const te::Task& task, const Expected& expected) {
  TaskEntry& entry = tasks_[task.id];
  entry.state = TaskState::kPreparing;
  entry.request_id = next_request_++;
  link_->send(prepare_frame(task, expected, entry.request_id));
}

void AgentRunner::on_task_ready(const protocol::TaskReady& ready) {
  auto found = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& entry) {
    return entry.second.state == TaskState::kPreparing && entry.second.request_id == ready.reply_to;
  });
  if (found == tasks_.end()) return;
  answered_ms_ = reactor_.now_ms();
  found->second.state = ready.error ? TaskState::kUnknown : TaskState::kReady;
  if (ready.error) fail_task(found->first, error_of(*ready.error), false);
  pump();
}

void AgentRunner::fail_task(const Hash& task, const Error& error, bool ends_search) {
  std::deque<Waiting> kept;
  for (Waiting& waiting : std::exchange(queue_, {})) {
    if (waiting.input.task->id == task) answer(waiting, error.code, error.message, ends_search);
    else kept.push_back(std::move(waiting));
  }
  // A callback may have submitted meanwhile; submits are posted, so the queue is still ours.
  queue_ = std::move(kept);
}

void AgentRunner::fail_all(ErrorCode outcome, const std::string& message) {
  for (const Waiting& waiting : std::exchange(queue_, {})) answer(waiting, outcome, message);
  for (auto& [key, outstanding] : std::exchange(outstanding_, {}))
    outstanding.on_result({.trial_id = key.first, .attempt = key.second, .outcome = outcome, .message = message});
}

void AgentRunner::answer(const Waiting& waiting, ErrorCode outcome, const std::string& message, bool ends_search) {
  waiting.on_result({.trial_id = waiting.input.trial_id,
                     .attempt = waiting.input.attempt,
                     .ends_search = ends_search,
                     .outcome = outcome,
                     .message = message});
}

}  // namespace hone::server
