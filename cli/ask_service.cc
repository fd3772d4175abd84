#include "cli/ask_service.h"

#include <optional>

#include "cli/service_client.h"

namespace hone::cli {

namespace {
constexpr std::chrono::milliseconds kOneAnswerWait{10'000};
}  // namespace

Result<protocol::ClientFromService> ask_service_anything(const ServiceUrl& url, const MakeQuestion& question) {
  net::EventLoop loop;
  std::optional<Result<protocol::ClientFromService>> answer;
  ServiceClient* asker = nullptr;
  ServiceClient client(loop, url,
                       {.on_ready = [&] { asker->send(question(asker->next_id())); },
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
  if (loop.run_until([&] { return answer.has_value(); }, kOneAnswerWait)) return std::move(*answer);
  return Error{ErrorCode::kTimeout, cat("the service at ", url.host, ":", url.port, " does not answer; is it hone up?")};
}

}  // namespace hone::cli
