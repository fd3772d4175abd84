#include "cli/device_verbs.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/device_views.h"
#include "cli/find_service.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

using protocol::DeviceAction;
using protocol::ServiceState;

struct DeviceOptions {
  CommonOptions common;
  std::string device, label, reason;
};

ExitCode run_label(const DeviceOptions& options, const ServiceUrl& url) {
  const auto named = ask_service<protocol::DeviceLabelled>(url, [&options](uint64_t id) {
    return protocol::LabelDevice{.id = id, .device_id = options.device, .label = options.label};
  });
  return named.ok() ? ExitCode::kDone : fail(named.error());
}

ExitCode run_show(const DeviceOptions& options, const ServiceUrl& url) {
  const auto shown = ask_service<protocol::DeviceShown>(
      url, [&options](uint64_t id) { return protocol::ShowDevice{.id = id, .device_id = options.device}; });
  if (!shown.ok()) return fail(shown.error());
  if (options.common.json) print_json(device_page_json(*shown));
  else print_text(device_page(*shown));
  return ExitCode::kDone;
}

// What it means, and what one may do next.
std::string told(const std::string& device, const std::optional<ServiceState>& state) {
  const std::string lifted = cat("; hone devices resume ", device, " lets it work again");
  if (!state) return cat(device, " is forgotten");
  if (*state == ServiceState::kDraining) return cat(device, " is draining: its job ends, it gets no other, and is in maintenance then", lifted);
  if (*state == ServiceState::kMaintenance) return cat(device, " is in maintenance: it gets no job", lifted);
  if (*state == ServiceState::kQuarantined) return cat(device, " is quarantined: it gets no job, and a lease that it had has ended", lifted);
  return cat(device, " is in service");
}

template <DeviceAction kAction>
ExitCode run_manage(const DeviceOptions& options, const ServiceUrl& url) {
  const auto managed = ask_service<protocol::DeviceManaged>(url, [&options](uint64_t id) {
    return protocol::ManageDevice{.id = id, .device_id = options.device, .action = kAction, .reason = options.reason};
  });
  if (!managed.ok()) return fail(managed.error());
  const auto& state = managed->service_state;
  if (options.common.json)
    print_json(nlohmann::ordered_json{{"device_id", options.device}, {"service_state", state ? protocol::to_name(*state) : "forgotten"}});
  else if (!options.common.quiet) std::fputs(printable_lines(told(options.device, state) + "\n").c_str(), stderr);
  return ExitCode::kDone;
}

using RunDevice = ExitCode (*)(const DeviceOptions&, const ServiceUrl&);

std::shared_ptr<DeviceOptions> add_device_verb(Verb verb, RunDevice run) {
  auto options = std::make_shared<DeviceOptions>();
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.option("device", options->device, "The device's id, as hone devices shows it").required().check(not_empty());
  verb.runs([options, run] {
    set_up_logging({.quiet = options->common.quiet});
    const auto url = service_of(options->common);
    return url.ok() ? run(*options, *url) : usage_error(url.error().message);
  });
  return options;
}

void add_reason(Verb verb, DeviceOptions& options) {
  verb.option("--reason", options.reason, "Why, for people; 256 bytes at most");
}

}  // namespace

void add_device_verbs(Verb devices) {
  Verb label = devices.sub("label", "Gives a device a name, which --device takes too, and records show");
  label.footer(
      "Example:\n"
      "  hone devices label dev-3f0a12 'kitchen phone'");
  auto labelled = add_device_verb(label, run_label);
  label.option("label", labelled->label, "Its name, 64 bytes at most; an empty one takes it away").required();
  add_device_verb(devices.sub("show", "A device and what happened to it: who used it, drained it, when it came and went"), run_show);
  Verb drain = devices.sub("drain", "Lets a device end its job, then keeps it in maintenance");
  add_reason(drain, *add_device_verb(drain, run_manage<DeviceAction::kDrain>));
  Verb quarantine = devices.sub("quarantine", "Takes a device out of service at once: its lease ends, and it gets no other");
  quarantine.footer(
      "Example:\n"
      "  hone devices quarantine dev-3f0a12 --reason 'times far below its class'");
  add_reason(quarantine, *add_device_verb(quarantine, run_manage<DeviceAction::kQuarantine>));
  add_device_verb(devices.sub("resume", "Puts a device back into service"), run_manage<DeviceAction::kResume>);
  add_device_verb(devices.sub("forget", "Removes a device that is not connected, with its history"), run_manage<DeviceAction::kForget>);
}

}  // namespace hone::cli
