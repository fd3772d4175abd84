#include "cli/cancel_job.h"

#include <chrono>
#include <optional>

#include "base/cat.h"
#include "cli/service_client.h"

namespace hone::cli {

namespace {

constexpr std::chrono::milliseconds kEndWait{60'000};  // policy: a compiler or a reference may not look up sooner

std::optional<Result<JobEnd>> end_of(const protocol::ClientFromService& message) {
  if (const auto* done = std::get_if<protocol::JobDone>(&message)) {
    const bool cancelled = done->result.is_object() && done->result.value("cancelled", false);
    if (cancelled) return JobEnd();
    return JobEnd{protocol::JobState::kDone, ErrorCode::kOk, ""};
  }
  if (const auto* failed = std::get_if<protocol::JobFailed>(&message)) {
    const bool cancelled = failed->code == ErrorCode::kCancelled;
    return JobEnd{cancelled ? protocol::JobState::kCancelled : protocol::JobState::kFailed, failed->code, failed->message};
  }
  if (const auto* error = std::get_if<protocol::ErrorReply>(&message)) return Result<JobEnd>(Error{error->code, error->message});
  return std::nullopt;
}

}  // namespace

Result<JobEnd> cancel_job(const ServiceUrl& url, const std::string& job) {
  net::EventLoop loop;
  std::optional<Result<JobEnd>> end;
  ServiceClient* asker = nullptr;
  // Whoever follows it hears its end, also of one that has ended.
  ServiceClient client(loop, url,
                       {.on_ready = [&] { asker->send(protocol::AttachJob{.id = asker->next_id(), .job = job}); },
                        .on_message =
                            [&](const protocol::ClientFromService& message, std::string_view) {
                              if (end) return;
                              if (std::holds_alternative<protocol::JobAccepted>(message)) asker->send(protocol::CancelJob{.id = asker->next_id(), .job = job});
                              end = end_of(message);
                            },
                        .on_failed =
                            [&](Error error) {
                              if (!end) end = std::move(error);
                            }});
  asker = &client;
  if (loop.run_until([&] { return end.has_value(); }, kEndWait)) return std::move(*end);
  return Error{ErrorCode::kTimeout, cat("the job ", job, " was told to end, and has not yet; hone jobs shows when it has")};
}

}  // namespace hone::cli
