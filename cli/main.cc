// hone: the command line. One file per verb; this one parses and hands over.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/cat.h"
#include "base/guarded.h"
#include "cli/console.h"
#include "cli/options.h"
#include "server/jobs/model_child.h"

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

// Every user of the machine can read a command line. What people paste stands there for a moment, no longer.
void hide_tokens(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    for (const char* name : {"#token=", "&token=", "#enroll=", "&enroll="})
      if (char* at = std::strstr(argv[i], name)) std::memset(at + std::strlen(name), '-', std::strlen(at + std::strlen(name)));
}

// Output that a full disk or a closed pipe swallowed is no success.
ExitCode with_output_written(ExitCode code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  const Error lost{ErrorCode::kIoError, cat("the output could not be written completely: ", std::strerror(errno))};
  return code == ExitCode::kDone ? fail(lost) : code;
}

int run_main(int argc, char** argv) {
  // Not for people: the service starts itself so.
  if (argc == 3 && argv[1] == server::kModelChildVerb) server::run_model_child(argv[2]);
  CommandLine line("hone", HONE_VERSION,
                   "hone makes machine-learning kernels fast on one particular browser on one particular device.");
  Verb program = line.root();
  program.footer(kFooter);
  program.requires_sub();
  add_up(program);
  add_tracker(program);
  add_server(program);
  add_agent(program);
  add_devices(program);
  add_jobs(program);
  add_tune(program);
  add_export(program);
  add_run(program);
  add_verify(program);
  add_bench(program);
  add_report(program);
  add_compile(program);
  add_operators(program);
  add_records(program);
  add_doctor(program);
  add_enroll(program);
  add_tokens(program);
  add_tls(program);
  (void)unsetenv(kTokenVariable);
  const auto ended = line.parse(argc, argv);
  hide_tokens(argc, argv);
  if (ended) return static_cast<int>(*ended);
  const auto code = guarded([&line]() -> Result<ExitCode> { return line.run(); });
  return static_cast<int>(with_output_written(code.ok() ? *code : fail(code.error())));
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) { return hone::cli::run_main(argc, argv); }
