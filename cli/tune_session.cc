#include "cli/tune_session.h"

#include <spdlog/spdlog.h>

#include <cstdio>

#include "base/cat.h"

namespace hone::cli {

namespace {
// A service that does not end a cancelled job in this time is left alone.
constexpr std::chrono::milliseconds kCancelWait{8000};
}  // namespace

TuneSession::TuneSession(net::EventLoop& loop, Config config, ServiceUrl url, OnEnd on_end)
    : loop_(loop),
      config_(std::move(config)),
      on_end_(std::move(on_end)),
      progress_(config_.progress),
      cancel_timer_(loop),
      client_(loop, std::move(url),
              {.on_ready = [this] { begin(); },
               .on_message = [this](const protocol::ClientFromService& message) { receive(message); },
               .on_failed = [this](Error error) { end(std::move(error)); }}) {}

void TuneSession::begin() {
  if (cancelled_) return;
  if (!config_.browser.empty()) {
    auto agent = AgentKeeper::start(
        loop_, config_.browser, config_.url, client_,
        [this](launch::BrowserState state, const std::string& message) { on_browser(state, message); });
    if (!agent.ok()) return end(agent.error());
    agent_ = std::move(*agent);
  }
  client_.send(protocol::SubmitJob{.id = client_.next_id(), .job = config_.job}, config_.model_bytes);
}

void TuneSession::receive(const protocol::ClientFromService& message) {
  if (ended_) return;
  if (auto* accepted = std::get_if<protocol::JobAccepted>(&message)) {
    job_ = accepted->job;
    if (cancelled_) client_.send(protocol::CancelJob{.id = client_.next_id(), .job = job_});
  } else if (auto* progress = std::get_if<protocol::JobProgress>(&message)) {
    progress_.show(*progress);
  } else if (auto* done = std::get_if<protocol::JobDone>(&message)) {
    end(done->result);
  } else if (auto* failed = std::get_if<protocol::JobFailed>(&message)) {
    end(Error{failed->code, failed->message});
  } else if (auto* state = std::get_if<protocol::AgentState>(&message)) {
    if (agent_) agent_->on_agent_state(*state);
    if (state->state == protocol::AgentStateKind::kConnected && !state->message.empty())
      end(Error{ErrorCode::kNoDevice, cat("the browser that was started brings no device: ", state->message)});
  } else if (auto* error = std::get_if<protocol::ErrorReply>(&message)) {
    end(Error{error->code, error->message});
  }
}

void TuneSession::on_browser(launch::BrowserState state, const std::string& message) {
  if (state == launch::BrowserState::kRestarting) {
    progress_.clear();
    spdlog::warn("the browser is restarted: {}", message);
  }
  if (state == launch::BrowserState::kFailed) end(Error{ErrorCode::kNoDevice, message});
}

void TuneSession::cancel() {
  if (ended_ || std::exchange(cancelled_, true)) return;
  progress_.clear();
  if (!config_.progress.quiet) std::fputs("stopping; the measurements so far are kept\n", stderr);
  if (!job_.empty()) client_.send(protocol::CancelJob{.id = client_.next_id(), .job = job_});
  cancel_timer_.start(job_.empty() ? std::chrono::milliseconds(0) : kCancelWait, [this] {
    end(Error{ErrorCode::kCancelled, "interrupted; repeat the command to go on"});
  });
}

void TuneSession::end(Result<nlohmann::json> result) {
  if (std::exchange(ended_, true)) return;
  progress_.clear();
  // Later, because the caller destroys this object on it.
  loop_.post([on_end = on_end_, result = std::move(result)]() mutable { on_end(std::move(result)); });
}

}  // namespace hone::cli
