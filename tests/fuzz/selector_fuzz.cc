// Border: what people say of devices, and what devices say of themselves. The first line is a selector, the rest a fingerprint as JSON; the
// device is named, matched, and made a target of.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/json_text.h"
#include "schema/device_key.h"
#include "server/agents/device_target.h"
#include "tests/fuzz/input.h"
#include "tracker/selector.h"

namespace hone {
namespace {

Result<protocol::Fingerprint> read_fingerprint(std::string_view text) {
  HONE_ASSIGN(json, parse_json(text));
  return protocol::from_json<protocol::Fingerprint>(json);
}

void match(std::string_view selector_text, const protocol::Fingerprint& fingerprint) {
  const std::string id = "d1", key = protocol::device_key(fingerprint), agent = "lab", label = "phone";
  const auto selector = tracker::Selector::parse(selector_text);
  if (selector.ok()) (void)selector->matches({id, key, agent, label, fingerprint});
}

void run(std::string_view text) {
  const std::string_view selector = fuzz::take_line(text);
  const auto fingerprint = read_fingerprint(text);
  match(selector, fingerprint.ok() ? *fingerprint : protocol::Fingerprint{});
  if (!fingerprint.ok()) return;
  const auto target = server::target_of(*fingerprint);
  if (target.ok())
    CHECK(target->limits.binding_bytes_max > 0 && target->limits.grid_dim_max > 0, "a target without room");
}

}  // namespace
}  // namespace hone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hone::run(hone::fuzz::text_of(data, size));
  return 0;
}
