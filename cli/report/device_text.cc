#include "cli/report/device_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/cat.h"
#include "base/json_text.h"
#include "base/number_text.h"
#include "base/printable_text.h"

namespace hone::report {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::string adapter_text(const protocol::Fingerprint& f) {
  if (!f.description.empty()) return f.description;
  return f.vendor.empty() ? f.architecture : f.architecture.empty() ? f.vendor : cat(f.vendor, " ", f.architecture);
}

std::string device_text(const protocol::Fingerprint& f) {
  std::string text = f.browser;
  if (f.browser_major > 0) text += cat(" ", f.browser_major);
  if (f.target != f.browser) text += cat(", ", f.target);
  if (const std::string adapter = adapter_text(f); !adapter.empty()) text += cat(", ", adapter);
  return printable(text);
}

std::string short_device_text(const std::string& fingerprint_json) {
  const auto json = parse_json(fingerprint_json);
  if (!json.ok()) return "";
  const auto f = protocol::from_json<protocol::Fingerprint>(*json);
  if (!f.ok()) return "";
  std::string text = f->browser;
  if (f->browser_major > 0) text += cat(" ", f->browser_major);
  const std::string adapter = f->architecture.empty() ? adapter_text(*f) : f->architecture;
  return printable(adapter.empty() ? text : cat(text, ", ", adapter));
}

// The names that these renderers give themselves; "software" is the agent's word for what a browser calls a fallback adapter.
bool is_software_adapter(const protocol::Fingerprint& f) {
  if (f.target == "wasm" || f.target == "native") return false;
  const std::string said = lower(cat(f.vendor, " ", f.architecture, " ", f.device, " ", f.description));
  constexpr std::array kNames{"swiftshader", "llvmpipe", "lavapipe", "basic render", "software"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* name) { return said.find(name) != std::string::npos; });
}

std::string measured_on_text(const nlohmann::json& result) {
  const auto device = result.find("device");
  if (device == result.end() || !device->is_object()) return "";
  const auto fingerprint = protocol::from_json<protocol::Fingerprint>(*device);
  if (!fingerprint.ok()) return "";
  std::string text = cat("measured on ", device_text(*fingerprint), "\n");
  if (result.value("device_changes", 0) > 0) text += "its device went away in the middle; all that is shown was taken on another one of its class\n";
  if (is_software_adapter(*fingerprint))
    text += "this is a software adapter: the processor does a GPU's work, and the times say nothing of a GPU\n";
  return text;
}

std::string older_browser_text(const nlohmann::json& schedules, const nlohmann::json& device) {
  const int older = schedules.value("older_browser", 0);
  if (older == 0) return "";
  return printable(cat(older, " of ", counted(schedules.value("tuned", 0), "tuned kernel"),
                       older == 1 ? " was" : " were", " timed in an older ", device.value("browser", "browser"),
                       " than this one (", device.value("browser_major", 0), "); hone tune times ",
                       older == 1 ? "it" : "them", " again")) +
         "\n";
}

}  // namespace hone::report
