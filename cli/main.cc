// hone: the command line. One file per verb; this one parses and hands over.
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/cat.h"
#include "base/guarded.h"
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  hone tune model.onnx --trials 64          tune each kernel of a model in a headless Chromium\n"
    "  hone tune --op matmul:512x512x512         tune one operator\n"
    "  hone run model.onnx --out outputs --check run a model once and compare it with the reference\n"
    "  hone up                                   serve; open the printed URL in any browser to add it\n"
    "  hone compile --op matmul:512x512x512      show the kernel\n"
    "  hone records best                         the best schedules so far\n"
    "  hone doctor                               what is missing on this machine\n"
    "Exit codes: 0 done, 1 the job failed, 2 wrong usage, 3 no device matched in time, 130 interrupted.";

// CLI11 reports a missing subcommand where there is an unknown word; the words that are left over say which.
std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  const bool missing = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
  if (missing && !unknown.empty()) return cat("'", unknown.front(), "' is not known here; see hone --help");
  return std::string(error.what()) + "; see hone --help";
}

// Output that a full disk or a closed pipe swallowed is no success.
ExitCode with_output_written(ExitCode code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  const Error lost{ErrorCode::kIoError, cat("the output could not be written completely: ", std::strerror(errno))};
  return code == ExitCode::kDone ? fail(lost) : code;
}

int run_main(int argc, char** argv) {
  CLI::App app("hone makes machine-learning kernels fast on one particular browser on one particular device.", "hone");
  app.footer(kFooter);
  app.set_version_flag("--version", "hone " HONE_VERSION);
  app.require_subcommand(1);
  Run run;
  add_up(app, run);
  add_agent(app, run);
  add_devices(app, run);
  add_tune(app, run);
  add_export(app, run);
  add_run(app, run);
  add_verify(app, run);
  add_bench(app, run);
  add_compile(app, run);
  add_records(app, run);
  add_doctor(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    return static_cast<int>(usage_error(what_is_wrong(app, error)));
  }
  const auto code = guarded([&run]() -> Result<ExitCode> { return run(); });
  return static_cast<int>(with_output_written(code.ok() ? *code : fail(code.error())));
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) { return hone::cli::run_main(argc, argv); }
