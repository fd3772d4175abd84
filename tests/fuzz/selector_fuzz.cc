// Border: what people say of devices, and what devices say of themselves. The first line is a selector, the rest a fingerprint as JSON; the
// device is named, matched, and made a target of.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schema/message.h"
#include "server/agents/device_target.h"
#include "tracker/device_key.h"
#include "tracker/selector.h"

namespace hone {
namespace {

void match(std::string_view selector_text, const protocol::Fingerprint& fingerprint) {
  const std::string id = "d1", key = tracker::device_key(fingerprint), agent = "lab";
  const auto selector = tracker::Selector::parse(selector_text);
  if (selector.ok()) (void)selector->matches({id, key, agent, fingerprint});
}

void run(std::string_view text) {
  const size_t line = text.substr(0, text.find('\n')).size();
  const std::string_view rest = text.substr(std::min(line + 1, text.size()));
  const auto json = nlohmann::json::parse(rest, nullptr, /*allow_exceptions=*/false);
  const auto fingerprint = protocol::from_json<protocol::Fingerprint>(json);
  match(text.substr(0, line), fingerprint.ok() ? *fingerprint : protocol::Fingerprint{});
  if (!fingerprint.ok()) return;
  const auto target = server::target_of(*fingerprint);
  if (target.ok()) CHECK(target->limits.binding_bytes_max > 0 && target->limits.grid_dim_max > 0, "a target without room");
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
