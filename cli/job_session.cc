#include "cli/job_session.h"

#include <cstdio>

#include "base/cat.h"
#include "base/log.h"
#include "base/printable_text.h"

namespace hone::cli {

namespace {
// A service that does not end a cancelled job in this time is left alone.
constexpr std::chrono::milliseconds kCancelWait{8000};
// A device that is there is leased at once; where none is, a person has to do something.
constexpr std::chrono::milliseconds kNoDeviceWait{2000};
// Model and inputs travel in one frame.
constexpr size_t kPayloadBytesMax = protocol::kJobBytesMax - protocol::kHeaderBytesMax;
}  // namespace

JobSession::JobSession(net::EventLoop& loop, Config config, ServiceUrl url)
    : loop_(loop),
      config_(std::move(config)),
      progress_(config_.progress),
      cancel_timer_(loop),
      no_device_timer_(loop),
      client_(loop, std::move(url),
              {.on_ready = [this] { on_ready(); },
               .on_message = [this](const protocol::ClientFromService& message,
                                    std::string_view payload) { receive(message, payload); },
               .on_failed = [this](Error error) { on_failed(std::move(error)); }}) {}

void JobSession::submit(protocol::JobRequest job, std::string payload, OnEnd on_end) {
  begin({std::move(job), std::move(payload), std::move(on_end)});
}

void JobSession::follow(const std::string& job, OnEnd on_end) { begin({.on_end = std::move(on_end), .followed = job}); }

void JobSession::begin(Asked job) {
  CHECK(!job_, "two jobs at a time");
  job_ = std::move(job);
  if (const size_t bytes = job_->payload.size(); bytes > kPayloadBytesMax)
    return end(
        Error{ErrorCode::kLimitExceeded, cat("the model and its inputs have ", bytes,
                                             " bytes; a service takes at most ", kPayloadBytesMax, " in one job")});
  if (broken_) return end(*broken_);
  if (ready_) send();
}

void JobSession::on_ready() {
  ready_ = true;
  if (broken_) return;
  if (!config_.browser.empty()) {
    agent_ = std::make_unique<AgentKeeper>(
        loop_, AgentKeeper::Config{.browser = config_.browser, .url = config_.url, .target = config_.target}, client_,
        AgentKeeper::Events{.on_state = [this](launch::BrowserState state, const std::string& message) { on_browser(state, message); },
                            .on_failed = [this](Error error) { fail_for_good(std::move(error)); }});
  }
  if (job_) send();
}

void JobSession::send() {
  job_->sent = true;
  if (!job_->followed.empty()) return client_.send(protocol::AttachJob{.id = client_.next_id(), .job = job_->followed});
  client_.send(protocol::SubmitJob{.id = client_.next_id(), .job = job_->request}, job_->payload);
  std::string().swap(job_->payload);  // a model may be large, and waits for nothing any more
}

void JobSession::receive(const protocol::ClientFromService& message, std::string_view payload) {
  if (auto* state = std::get_if<protocol::AgentState>(&message)) {
    if (agent_) agent_->on_agent_state(*state);
    if (state->state == protocol::AgentStateKind::kConnected && !state->message.empty())
      fail_for_good(
          Error{ErrorCode::kNoDevice, cat("the browser that was started offers no device: ", state->message)});
    return;
  }
  if (!job_ || !job_->sent) return;
  if (auto* accepted = std::get_if<protocol::JobAccepted>(&message)) {
    job_->id = accepted->job;
    accepted_ = true;
    if (cancelled_) client_.send(protocol::CancelJob{.id = client_.next_id(), .job = job_->id});
  } else if (auto* progress = std::get_if<protocol::JobProgress>(&message)) {
    show(*progress);
  } else if (auto* done = std::get_if<protocol::JobDone>(&message)) {
    const bool cut_short = !cancelled_ && done->result.is_object() && done->result.value("cancelled", false);
    const Error why = job_->followed.empty() ? service_ended("the service stopped") : Error{ErrorCode::kCancelled, "the job was cancelled"};
    end(JobResult{done->result, std::string(payload), cut_short ? std::optional(why) : std::nullopt});
  } else if (auto* failed = std::get_if<protocol::JobFailed>(&message)) {
    const bool by_service = failed->code == ErrorCode::kCancelled && !cancelled_ && job_->followed.empty();
    end(by_service ? service_ended("the service stopped") : Error{failed->code, failed->message});
  } else if (auto* error = std::get_if<protocol::ErrorReply>(&message)) {
    end(Error{error->code, error->message});
  }
}

void JobSession::show(protocol::JobProgress progress) {
  const bool none_yet = progress.phase == protocol::JobPhase::kWaitingForDevice && !progress.waits_for;
  if (none_yet && !config_.browser.empty()) progress.message = "waiting for the browser that was started";
  progress_.show(progress, job_->request.time_s);
  if (!none_yet) return no_device_timer_.cancel();
  if (!config_.browser.empty() || config_.progress.quiet) return;
  no_device_timer_.start(kNoDeviceWait, [this, message = progress.message] {
    progress_.clear();
    // Elsewhere than on a terminal the message stands on a line of its own already.
    ask_for_device(config_.progress.terminal ? message + "\n" : "");
  });
}

// A page that is opened by hand brings WebGPU, or what its URL says.
void JobSession::ask_for_device(const std::string& why) {
  const std::string& target = job_->request.target;
  if (client_.role() == protocol::Role::kSubmitter) {
    std::fputs(printable_lines(cat(why, "bring one: whoever runs the service prints a URL for it with hone enroll\n")).c_str(), stderr);
    return;
  }
  const bool page = target == "webgpu" || target == "webgl";
  const std::string url = target == "webgl" ? config_.url + "&target=webgl" : config_.url;
  const std::string what = page ? cat("open ", url, " in the browser to be tuned")
                                : cat("start one: hone agent --target ", target, " --tracker '", url, "'");
  std::fputs(printable_lines(cat(why, what, "\n")).c_str(), stderr);
}

void JobSession::on_failed(Error error) {
  const bool under_way = job_ && !job_->id.empty() && error.code == ErrorCode::kIoError;
  fail_for_good(under_way ? service_ended(error.message) : std::move(error));
}

Error JobSession::service_ended(const std::string& how) const {
  if (!job_->followed.empty()) return {ErrorCode::kIoError, cat(how, "; when it is back, hone jobs attach ", job_->followed, " follows the job again")};
  std::string text = how;
  if (job_->request.kind == protocol::JobKind::kTune) text += cat("; what was measured is kept in its database", config_.db.empty() ? "" : " " + config_.db);
  const std::string db = config_.db.empty() ? "" : cat(" --db ", config_.db);
  return {ErrorCode::kIoError, cat(text, "; start it again (hone up", db, "), then repeat the command",
                                   job_->request.kind == protocol::JobKind::kTune ? ": it goes on from there" : "")};
}

void JobSession::on_browser(launch::BrowserState state, const std::string& message) {
  if (state == launch::BrowserState::kRestarting) {
    progress_.clear();
    log_warn(cat("the agent is restarted: ", message));
  }
  if (state == launch::BrowserState::kFailed) fail_for_good(Error{ErrorCode::kNoDevice, message});
}

void JobSession::cancel() {
  if (std::exchange(cancelled_, true)) return;
  const bool resumes = job_ && job_->request.kind == protocol::JobKind::kTune;
  const Error interrupted{ErrorCode::kCancelled, resumes ? "interrupted; repeat the command to go on" : "interrupted"};
  if (!job_) {
    broken_ = interrupted;
    return;
  }
  progress_.clear();
  if (!job_->followed.empty()) return fail_for_good({ErrorCode::kCancelled, cat("the job goes on; hone jobs attach ", job_->followed, " follows it again")});
  const bool tunes = job_->request.kind == protocol::JobKind::kTune;
  if (!config_.progress.quiet) std::fputs(tunes ? "stopping; the measurements so far are kept\n" : "stopping\n", stderr);
  if (!job_->id.empty()) client_.send(protocol::CancelJob{.id = client_.next_id(), .job = job_->id});
  cancel_timer_.start(job_->id.empty() ? std::chrono::milliseconds(0) : kCancelWait,
                      [this, interrupted] { fail_for_good(interrupted); });
}

void JobSession::fail_for_good(Error error) {
  if (!broken_) broken_ = std::move(error);
  end(*broken_);
}

void JobSession::end(Result<JobResult> result) {
  if (!job_) return;
  progress_.clear();
  no_device_timer_.cancel();
  // Later, because the caller may destroy this object on it.
  loop_.post([on_end = std::move(job_->on_end), result = std::move(result)]() mutable { on_end(std::move(result)); });
  job_.reset();
}

}  // namespace hone::cli
