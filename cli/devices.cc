// hone devices: the fleet of a running service.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "cli/ask_devices.h"
#include "cli/console.h"
#include "cli/device_verbs.h"
#include "cli/device_views.h"
#include "cli/find_service.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

constexpr double kGoneShownMs = 3600e3;  // a device that is gone for longer is listed with --all only

struct DevicesOptions {
  CommonOptions common;
  bool all = false;
};

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
    print_text(devices_table(*devices));
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
      "  hone devices show dev-3f0a12\n"
      "  hone devices --tracker 'http://127.0.0.1:9190/agent/#token=…'");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.flag("--all", options->all, "Also those gone for more than an hour");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_devices(*options);
  });
  add_device_verbs(verb);
}

}  // namespace hone::cli
