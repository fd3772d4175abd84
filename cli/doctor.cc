// hone doctor: says what is missing on this machine, or wrong with a service, and what to do.
#include <nlohmann/json.hpp>

#include <cstdio>

#include "base/clock.h"
#include "base/printable_text.h"
#include "cli/checkup.h"
#include "cli/console.h"
#include "cli/farm_checkup.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

struct DoctorOptions {
  CommonOptions common;
  int port = kDefaultPort;
};

void print_findings_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& f : findings)
    list.push_back(
        {{"name", f.name}, {"ok", f.ok}, {"required", f.required}, {"found", f.found}, {"remedy", f.remedy}});
  cli::print_json(nlohmann::ordered_json{{"ok", all_required_ok(findings)}, {"checks", list}});
}

// `wrong`: the word for what is needed and not so.
void print_findings(const std::vector<Finding>& findings, const char* wrong) {
  for (const Finding& f : findings) {
    std::printf("%-8s %-12s %s\n", f.ok ? "ok" : f.required ? wrong : "note", f.name.c_str(), printable(f.found).c_str());
    if (!f.ok && !f.remedy.empty()) std::printf("%-8s %-12s → %s\n", "", "", f.remedy.c_str());
  }
}

ExitCode run_doctor(const DoctorOptions& options) {
  const bool of_farm = !options.common.tracker.empty();
  std::vector<Finding> findings;
  if (of_farm) {
    const auto url = parse_service_url(options.common.tracker, options.common.ca_file);
    if (!url.ok()) return usage_error(url.error().message);
    findings = check_farm(*url, SystemClock());
  } else {
    findings = check_machine({.db = options.common.db, .port = static_cast<uint16_t>(options.port)});
  }
  if (options.common.json) print_findings_json(findings);
  else print_findings(findings, of_farm ? "wrong" : "missing");
  return all_required_ok(findings) ? ExitCode::kDone : ExitCode::kJobFailed;
}

}  // namespace

void add_doctor(Verb program) {
  auto options = std::make_shared<DoctorOptions>();
  Verb verb = program.sub("doctor", "Checks what is missing on this machine, or wrong with a service, and says what to do");
  verb.footer(
      "Examples:\n"
      "  hone doctor                 this machine\n"
      "  hone doctor --tracker URL   that service: its name, port, health, clock, version, token and devices\n"
      "Exits 1 when something that is needed is missing or wrong.");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.option("--port", options->port, "Port that the service would use").default_shown().check(in_range(1, 65535));
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_doctor(*options);
  });
}

}  // namespace hone::cli
