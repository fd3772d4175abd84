// hone enroll: a URL with which one browser, or one hone agent, joins a service.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

struct EnrollOptions {
  CommonOptions common;
  std::string name;
};

ExitCode run_enroll(const EnrollOptions& options) {
  const auto url = service_of(options.common);
  if (!url.ok()) return usage_error(url.error().message);
  const auto enrolment = ask_service<protocol::Enrolment>(
      *url, [&options](uint64_t id) { return protocol::CreateEnrolment{.id = id, .name = options.name}; });
  if (!enrolment.ok()) return fail(enrolment.error());
  const std::string link = cat("http://", url->host, ":", url->port, "/agent/#enroll=", enrolment->code);
  if (options.common.json) {
    print_json(nlohmann::ordered_json{{"url", link}, {"lifetime_s", enrolment->lifetime_ms / 1000}});
    return ExitCode::kDone;
  }
  print_text(link + "\n");
  if (!options.common.quiet)
    std::fputs(printable_lines(cat("good for one agent, for ", duration_text(enrolment->lifetime_ms / 1000),
                                   ": open it in a browser, or hone agent --tracker URL; each gets a token of its own and comes "
                                   "back by itself\n"))
                   .c_str(),
               stderr);
  return ExitCode::kDone;
}

}  // namespace

void add_enroll(Verb program) {
  auto options = std::make_shared<EnrollOptions>();
  Verb verb = program.sub("enroll", "Prints a URL with which one agent joins a running service, once");
  verb.footer(
      "Examples:\n"
      "  hone enroll                        for the service that you run here (hone up)\n"
      "  hone enroll --name 'kitchen phone'  what hone tokens list calls it\n"
      "  hone enroll --tracker http://127.0.0.1:9190/agent/ --token-file admin.token");
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.option("--name", options->name, "Name of the agent's token, for people, 64 bytes at most");
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet});
    return run_enroll(*options);
  });
}

}  // namespace hone::cli
