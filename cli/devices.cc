// hone devices: the fleet of a running service.
#include <algorithm>
#include <cstdio>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/ask_devices.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/options.h"
#include "cli/report/device_text.h"
#include "cli/service_client.h"

namespace hone::cli {
namespace {

constexpr double kGoneShownMs = 3600e3;  // a device that is gone for longer is listed with --all only

struct DevicesOptions {
  CommonOptions common;
  bool all = false;
};

struct LabelOptions {
  CommonOptions common;
  std::string device, label;
};

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

std::string state_text(const protocol::DeviceInfo& device) {
  const bool ready = device.state == protocol::DeviceStateKind::kReady,
             gone = device.state == protocol::DeviceStateKind::kGone;
  std::string text(protocol::to_name(device.state));
  if (!gone && !device.message.empty()) text += cat(": ", device.message);
  return ready && !device.visible ? text + " (tab hidden)" : text;
}

void print_table(const std::vector<protocol::DeviceInfo>& devices) {
  Table table{.rows = {{"id", "label", "class", "kind", "gpu", "features", "measured", "state", "lease", "seen"}},
              .numeric = {false, false, false, false, false, false, false, false, false, true}};
  for (const protocol::DeviceInfo& d : devices) {
    const protocol::Fingerprint& f = d.fingerprint;
    std::string gpu = report::adapter_text(f);
    if (report::is_software_adapter(f)) gpu += " (software)";
    table.rows.push_back({d.device_id, d.label.value_or("-"), d.device_key.substr(0, 8), d.kind, gpu, features_text(f),
                          signature_text(f), state_text(d), d.lease ? cat(d.lease->job, " of ", d.lease->user) : "free",
                          cat(duration_text(d.seen_ago_ms / 1000), " ago")});
  }
  print_text(table_text(table));
}

ExitCode run_label(const LabelOptions& options) {
  auto url = service_of(options.common);
  if (!url.ok()) return usage_error(url.error().message);
  const auto named = ask_service<protocol::DeviceLabelled>(*url, [&options](uint64_t id) {
    return protocol::LabelDevice{.id = id, .device_id = options.device, .label = options.label};
  });
  return named.ok() ? ExitCode::kDone : fail(named.error());
}

ExitCode run_devices(const DevicesOptions& devices_options) {
  const CommonOptions& options = devices_options.common;
  auto url = service_of(options);
  if (!url.ok()) return usage_error(url.error().message);
  auto devices = ask_devices(*url);
  if (!devices.ok()) return fail(devices.error());
  size_t forgotten = devices_options.all ? 0 : std::erase_if(*devices, [](const protocol::DeviceInfo& d) {
    return d.state == protocol::DeviceStateKind::kGone && d.seen_ago_ms > kGoneShownMs;
  });
  const auto is_ready = [](const auto& d) { return d.state == protocol::DeviceStateKind::kReady; };
  if (!options.json) std::stable_partition(devices->begin(), devices->end(), is_ready);
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const protocol::DeviceInfo& device : *devices) list.push_back(protocol::to_json(device));
    print_json(nlohmann::json{{"devices", list}});
  } else if (devices->empty()) {
    std::fputs("no device yet: open the service's URL in a browser, or start hone agent\n", stderr);
  } else {
    print_table(*devices);
  }
  if (forgotten > 0 && !options.json && !options.quiet)
    std::fprintf(stderr, "%s gone for more than an hour not listed; --all lists them\n",
                 counted(static_cast<int64_t>(forgotten), "device").c_str());
  return ExitCode::kDone;
}

}  // namespace

void add_devices(Verb program) {
  auto options = std::make_shared<DevicesOptions>();
  Verb verb = program.sub("devices", "Lists the devices of a running service");
  verb.footer(
      "Examples:\n"
      "  hone devices                                                  of the service that you run here (hone up)\n"
      "  hone devices label dev-3f0a12 'kitchen phone'\n"
      "  hone devices --tracker 'http://127.0.0.1:9190/agent/#token=…'");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.flag("--all", options->all, "Also those gone for more than an hour");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_devices(*options);
  });
  auto labelled = std::make_shared<LabelOptions>();
  Verb label = verb.sub("label", "Gives a device a name, which --device takes too, and records show");
  label.footer(
      "Example:\n"
      "  hone devices label dev-3f0a12 'kitchen phone'");
  add_common_options(label, labelled->common, {Uses::kDatabase, Uses::kService});
  label.option("device", labelled->device, "The device's id, as hone devices shows it").required();
  label.option("label", labelled->label, "Its name, 64 bytes at most; an empty one takes it away").required();
  label.runs([labelled] {
    set_up_logging({.quiet = labelled->common.quiet});
    return run_label(*labelled);
  });
}

}  // namespace hone::cli
