// ask_service: one question to a service and its answer.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/cat.h"
#include "base/result.h"
#include "cli/service_url.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

using MakeQuestion = std::function<protocol::ClientFromClient(uint64_t id)>;

// Connects, asks, and waits for the first message that comes back: some seconds at most, and as long as the payload may take. An error that comes
// back is the error.
Result<protocol::ClientFromService> ask_service_anything(const ServiceUrl& url, const MakeQuestion& question, std::string_view payload = {});

template <class Answer>
Result<Answer> ask_service(const ServiceUrl& url, const MakeQuestion& question, std::string_view payload = {}) {
  HONE_ASSIGN(message, ask_service_anything(url, question, payload));
  if (auto* answer = std::get_if<Answer>(&message)) return std::move(*answer);
  return Error{ErrorCode::kProtocolError, cat("the service at ", url.host, ":", url.port, " answers something else; is it hone up?")};
}

}  // namespace hone::cli
