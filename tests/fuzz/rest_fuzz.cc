// Border: requests over HTTP. The first line is a method, a path and arguments, apart by blanks; the second one a content type; the rest the body.
#include <cstddef>
#include <cstdint>
#include <string>

#include "schema/message.h"
#include "server/rest/rest_ask.h"
#include "tests/fuzz/input.h"

namespace hone {
namespace {

std::string take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  std::string word(line.substr(0, end));
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

net::HttpRequest read_request(std::string_view& text) {
  std::string_view line = fuzz::take_line(text);
  net::HttpRequest request{.method = take_word(line), .path = cat(protocol::kRestPrefix, take_word(line))};
  while (!line.empty()) {
    const std::string argument = take_word(line);
    const size_t equals = std::min(argument.find('='), argument.size());
    request.query.emplace_back(argument.substr(0, equals), equals < argument.size() ? argument.substr(equals + 1) : "");
  }
  request.content_type = fuzz::take_line(text);
  return request;
}

void run(std::string_view text) {
  const net::HttpRequest request = read_request(text);
  const server::RouteMatch match = server::match_route(request.method, request.path);
  if (!match.route) return;
  const auto ask = server::read_ask(match, request, text, 2);
  if (!ask.ok()) {
    CHECK(!ask.error().message.empty(), "a refusal without a sentence");
    return;
  }
  CHECK(ask->message["kind"] == match.route->kind && ask->message["id"] == 2, "a request that says which message it is");
  CHECK(ask->payload.empty() || (ask->payload.data() >= text.data() && ask->payload.data() + ask->payload.size() <= text.data() + text.size()), "a payload beyond the body");
  (void)protocol::decode_text<protocol::ClientFromClient>(json_line(ask->message), text.size());
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
