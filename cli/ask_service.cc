#include "cli/ask_service.h"

#include <optional>

#include "cli/service_client.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kOneAnswerWait{10'000};
constexpr int64_t kPayloadBytesPerMs = 100;  // policy: a network on which a model travels more slowly is of no use
}  // namespace

Result<protocol::ClientFromService> ask_service_anything(const ServiceUrl& url, const MakeQuestion& question, std::string_view payload) {
  net::EventLoop loop;
  std::optional<Result<protocol::ClientFromService>> answer;
  ServiceClient* asker = nullptr;
  ServiceClient client(loop, url,
                       {.on_ready = [&] { asker->send(question(asker->next_id()), payload); },
                        .on_message =
                            [&](const protocol::ClientFromService& message, std::string_view) {
                              if (answer) return;
                              const auto* error = std::get_if<protocol::ErrorReply>(&message);
                              if (error) answer = Error{error->code, error->message};
                              else answer = message;
                            },
                        .on_failed =
                            [&](Error error) {
                              if (!answer) answer = std::move(error);
                            }});
  asker = &client;
  const auto wait = kOneAnswerWait + std::chrono::milliseconds(static_cast<int64_t>(payload.size()) / kPayloadBytesPerMs);
  if (loop.run_until([&] { return answer.has_value(); }, wait)) return std::move(*answer);
  return Error{ErrorCode::kTimeout, cat("the service at ", url.host, ":", url.port, " does not answer; is it hone up?")};
}

}  // namespace hone::cli
