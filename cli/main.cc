// hone: the command line. One file per verb; this one parses and hands over.
#include <cstdio>

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
    return static_cast<int>(usage_error(std::string(error.what()) + "; see hone --help"));
  }
  return static_cast<int>(run());
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) { return hone::cli::run_main(argc, argv); }
