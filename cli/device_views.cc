#include "cli/device_views.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/report/device_text.h"

namespace hone::cli {
namespace {

std::string features_text(const protocol::Fingerprint& fingerprint) {
  std::string text;
  for (const char* feature : {"shader-f16", "subgroups", "timestamp-query"})
    if (std::find(fingerprint.features.begin(), fingerprint.features.end(), feature) != fingerprint.features.end())
      text += cat(text.empty() ? "" : " ", feature);
  return text.empty() ? "-" : text;
}

// "820 GFLOP/s, 120 GB/s, 25 µs a launch", of what its agent has measured.
std::string signature_text(const protocol::Fingerprint& f) {
  std::string text;
  const auto add = [&text](const std::optional<double>& figure, const char* unit) {
    if (figure) text += cat(text.empty() ? "" : ", ", number_text(*figure), " ", unit);
  };
  add(f.arithmetic_gflops, "GFLOP/s");
  add(f.memory_gb_s, "GB/s");
  add(f.launch_us, "µs a launch");
  return text.empty() ? "-" : text;
}

std::string gpu_text(const protocol::Fingerprint& fingerprint) {
  return cat(report::adapter_text(fingerprint), report::is_software_adapter(fingerprint) ? " (software)" : "");
}

// What its agent says and does: "ready", "lost: GPU reset, for 3 s".
std::string health_text(const protocol::DeviceInfo& device) {
  const bool ready = device.state == protocol::DeviceStateKind::kReady,
             gone = device.state == protocol::DeviceStateKind::kGone;
  std::string text(protocol::to_name(device.state));
  if (!gone && !device.message.empty()) text += cat(": ", device.message);
  return ready && !device.visible ? text + " (tab hidden)" : text;
}

// What people let it do: "idle", "quarantined: it lies".
std::string service_text(const protocol::DeviceInfo& device) {
  const std::string state(protocol::to_name(device.service_state));
  return device.service_reason ? cat(state, ": ", *device.service_reason) : state;
}

std::string lease_text(const protocol::DeviceInfo& device) {
  return device.lease ? cat(device.lease->job, " of ", device.lease->user) : "-";
}

std::string seen_text(const protocol::DeviceInfo& device) { return cat(duration_text(device.seen_ago_ms / 1000), " ago"); }

}  // namespace

std::string devices_table(const std::vector<protocol::DeviceInfo>& devices) {
  Table table{.rows = {{"id", "label", "class", "kind", "gpu", "features", "measured", "health", "state", "lease", "seen"}},
              .numeric = {false, false, false, false, false, false, false, false, false, false, true}};
  for (const protocol::DeviceInfo& d : devices)
    table.rows.push_back({d.device_id, d.label.value_or("-"), d.device_key.substr(0, 8), d.kind, gpu_text(d.fingerprint),
                          features_text(d.fingerprint), signature_text(d.fingerprint), health_text(d), service_text(d),
                          lease_text(d), seen_text(d)});
  return table_text(table);
}

std::string device_page(const protocol::DeviceShown& shown) {
  const protocol::DeviceInfo& d = shown.device;
  const Table head{.rows = {{"id", d.device_id},
                            {"label", d.label.value_or("-")},
                            {"device", cat(d.kind, ", ", gpu_text(d.fingerprint), ", class ", d.device_key.substr(0, 8))},
                            {"agent", cat(d.agent_name, " (", d.agent_id, ")")},
                            {"health", health_text(d)},
                            {"state", service_text(d)},
                            {"lease", lease_text(d)},
                            {"leases", cat(shown.leases)},
                            {"seen", seen_text(d)}},
                   .numeric = {false, false}};
  Table events{.rows = {{"when", "what", "user", "id", "text"}}, .numeric = {false, false, false, false, false}};
  for (const protocol::DeviceEvent& e : shown.events)
    events.rows.push_back({moment_text(static_cast<int64_t>(e.unix_ms)), std::string(protocol::to_name(e.kind)),
                           e.user.empty() ? "-" : e.user, e.device_id, e.text.empty() ? "-" : e.text});
  return cat(table_text(head), "\n", table_text(events));
}

nlohmann::ordered_json device_page_json(const protocol::DeviceShown& shown) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const protocol::DeviceEvent& e : shown.events)
    events.push_back({{"unix_ms", e.unix_ms}, {"device_id", e.device_id}, {"kind", protocol::to_name(e.kind)}, {"user", e.user}, {"text", e.text}});
  return {{"device", protocol::to_json(shown.device)}, {"leases", shown.leases}, {"events", std::move(events)}};
}

}  // namespace hone::cli
