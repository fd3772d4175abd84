#include "server/agents/plan_runner.h"

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "server/agents/frames.h"
#include "server/agents/limits.h"

namespace hone::server {

namespace {

bool all_positive(const std::optional<std::vector<double>>& times, double most) {
  return times && std::all_of(times->begin(), times->end(), [most](double time) { return time > 0 && time <= most; });
}

bool sensible_quads(const protocol::Executed& executed, size_t times) {
  return all_positive(executed.quad_ms, kRunMsMax) && executed.quad_ms->size() == times && all_positive(executed.reference_us, 1000 * kRunMsMax) && executed.reference_us->size() == times;
}

// What an agent says is untrusted.
bool sensible(const protocol::Executed& executed, const protocol::Execute& plan) {
  const uint32_t repeats = plan.repeats;
  const auto good = [](double ms) { return std::isfinite(ms) && ms >= 0 && ms <= kRunMsMax; };
  bool all = good(executed.create_ms) && good(executed.first_ms) && good(executed.clock_resolution_ns);
  for (const auto* times : {&executed.run_ms, &executed.kernel_ms})
    for (double ms : *times) all = all && good(ms);
  if (plan.rival) return all && sensible_quads(executed, 4 * plan.rival->rival_first.size());
  if (executed.launch_us)
    for (double us : *executed.launch_us) all = all && good(us / 1000);
  return all && (!executed.launch_us || executed.launch_us->size() == plan.launches.size()) &&
         executed.run_ms.size() <= repeats && (repeats == 0 || !executed.run_ms.empty()) &&
         (executed.kernel_ms.empty() || executed.kernel_ms.size() == executed.run_ms.size());
}

template <class Plan>
double fetched_bytes(const Plan& plan) {
  double bytes = 0;
  for (const auto* uploads : {&plan.constants, &plan.inputs})
    for (const protocol::PlanUpload& upload : *uploads) bytes += static_cast<double>(upload.bytes);
  for (const protocol::PlanKernel& kernel : plan.kernels) bytes += static_cast<double>(kernel.bytes);
  return bytes;
}

uint64_t output_bytes(const protocol::Execute& plan) {
  uint64_t bytes = 0;
  for (const protocol::PlanOutput& output : plan.outputs) bytes += output.bytes;
  if (plan.rival)
    for (const protocol::PlanOutput& output : plan.rival->outputs) bytes += output.bytes;
  return bytes;
}

}  // namespace

// The agent's own cap counts from when it has all blobs.
double answer_max_ms(const protocol::Execute& plan) {
  const double bytes = fetched_bytes(plan) + (plan.rival ? fetched_bytes(*plan.rival) : 0);
  return plan.cap_ms + kAnswerMaxMs + bytes / kFetchBytesPerMs;
}

std::shared_ptr<PlanRunner> PlanRunner::make(double reattach_ms, Reactor& reactor) {
  auto runner = std::shared_ptr<PlanRunner>(new PlanRunner(reattach_ms, reactor));
  reactor.post([runner] { runner->start_reattach_timer(); });
  return runner;
}

void PlanRunner::execute(protocol::Execute plan, OnDone on_done) {
  reactor_.post([self = shared_from_this(), waiting = Waiting{std::move(plan), std::move(on_done)}]() mutable {
    CHECK(!self->waiting_, "two executions at a time");
    self->waiting_ = std::move(waiting);
    if (self->over_) return self->answer(*self->over_);
    self->send();
  });
}

void PlanRunner::cancel() {
  reactor_.post([self = shared_from_this()] {
    self->abandon({ErrorCode::kCancelled, "the job was cancelled"});
  });
}

void PlanRunner::close() {
  reactor_.post([self = shared_from_this()] {
    self->over_ = Error{ErrorCode::kCancelled, "the job has ended"};
    self->waiting_.reset();
    self->leave();
  });
}

void PlanRunner::attach(AgentLink& link, uint64_t) {
  detach();
  ++session_;
  set_link(&link);
  send();
}

void PlanRunner::detach() {
  if (!link_) return;
  set_link(nullptr);
  ++session_;
  if (waiting_ && waiting_->sent >= kExecuteAttemptsMax)
    answer(Error{ErrorCode::kAgentGone,
                 "the agent's connection ended while the model ran, and again when it was repeated"});
  if (!over_) start_reattach_timer();
}

void PlanRunner::set_link(AgentLink* link) {
  link_ = link;
  present_ = link != nullptr;
}

tuner::RunnerWait PlanRunner::waits_for() const {
  if (present_) return {};
  return awaits_turn_ ? turn_of_others() : device_away(reattach_ms_);
}

void PlanRunner::start_reattach_timer() {
  reactor_.after(reattach_ms_, [self = shared_from_this(), session = session_] {
    if (self->session_ == session && !self->link_ && !self->over_ && !self->awaits_turn_)
      self->abandon({ErrorCode::kAgentGone,
                     cat("the device did not come back within ", static_cast<int>(self->reattach_ms_ / 1000), " s")});
  });
}

// What comes after it is answered likewise, and another job may have the device.
void PlanRunner::abandon(const Error& why) {
  over_ = why;
  answer(why);
  leave();
}

void PlanRunner::leave() {
  if (link_) link_->send(protocol::Release{});
  set_link(nullptr);
  tell_given_up();
}

void PlanRunner::await_turn(bool waits) {
  awaits_turn_ = waits;
  ++session_;
  if (!waits) start_reattach_timer();
}

void PlanRunner::give_up(const std::string& reason) {
  over_ = Error{ErrorCode::kAgentGone, reason};
  answer(*over_);
}

void PlanRunner::send() {
  if (!link_ || !waiting_) return;
  waiting_->plan.id = next_id_++;
  waiting_->sent++;
  link_->send(waiting_->plan);
  start_answer_timer();
}

void PlanRunner::start_answer_timer() {
  const double wait_ms = answer_max_ms(waiting_->plan);
  reactor_.after(wait_ms, [self = shared_from_this(), id = waiting_->plan.id, wait_ms] {
    if (self->waiting_ && self->waiting_->plan.id == id)
      self->abandon({ErrorCode::kTimeout, cat("the agent has answered nothing for ", static_cast<int>(wait_ms / 1000),
                                              " s; restart it, then repeat the command")});
  });
}

void PlanRunner::receive(const protocol::SessionFromAgent& message, const SharedBytes& payload) {
  const auto* executed = std::get_if<protocol::Executed>(&message);
  if (!link_ || !waiting_ || !executed || executed->reply_to != waiting_->plan.id) return;
  if (executed->error) {
    const Error why = error_of(*executed->error);
    if (ask_for_another(why)) return;
    return answer(Error{why.code, cat("the device did not run the model (", error_name(why.code), "): ", why.message)});
  }
  const size_t bytes = payload ? payload->size() : 0;
  if (!sensible(*executed, waiting_->plan) || bytes != output_bytes(waiting_->plan))
    return answer(
        Error{ErrorCode::kProtocolError, cat("the agent sent ", bytes, " bytes of outputs where ",
                                             output_bytes(waiting_->plan), " were asked for, or times that are none")});
  answer(Answer{*executed, payload ? payload : shared_bytes(""), device_});
}

// The session ends with its lease, and the execution waits for the next one.
bool PlanRunner::ask_for_another(const Error& why) {
  if (why.code != ErrorCode::kDeviceLost || waiting_->sent >= kExecuteAttemptsMax) return false;
  waiting_->plan.id = next_id_++;  // nothing that comes yet is its answer
  return tell_failing();
}

void PlanRunner::answer(Result<Answer> result) {
  if (!waiting_) return;
  OnDone on_done = std::move(waiting_->on_done);
  waiting_.reset();
  on_done(std::move(result));
}

}  // namespace hone::server
