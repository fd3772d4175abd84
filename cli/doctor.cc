// hone doctor: says what is missing on this machine, and how to get it.
#include <nlohmann/json.hpp>

#include <cstdio>

#include "cli/checkup.h"
#include "cli/console.h"
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

void print_findings(const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    std::printf("%-8s %-12s %s\n", f.ok ? "ok" : f.required ? "missing" : "note", f.name.c_str(), f.found.c_str());
    if (!f.ok && !f.remedy.empty()) std::printf("%-8s %-12s → %s\n", "", "", f.remedy.c_str());
  }
}

ExitCode run_doctor(const DoctorOptions& options) {
  std::vector<Finding> findings = check_machine({.db = options.common.db, .port = static_cast<uint16_t>(options.port)});
  options.common.json ? print_findings_json(findings) : print_findings(findings);
  return all_required_ok(findings) ? ExitCode::kDone : ExitCode::kJobFailed;
}

}  // namespace

void add_doctor(Verb program) {
  auto options = std::make_shared<DoctorOptions>();
  Verb verb = program.sub("doctor", "Checks what is missing on this machine, and says how to get it");
  verb.footer("Examples:\n  hone doctor\n  hone doctor --json\nExits 1 when something that is needed is missing.");
  add_common_options(verb, options->common, {Uses::kDatabase});
  verb.option("--port", options->port, "Port that the service would use").default_shown().check(in_range(1, 65535));
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_doctor(*options);
  });
}

}  // namespace hone::cli
