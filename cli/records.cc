// hone records: the record store.
#include "cli/console.h"
#include "cli/options.h"

namespace hone::cli {
namespace {

ExitCode run_records() { return fail(Error{ErrorCode::kUnsupported, "hone records is not built yet"}); }

}  // namespace

void add_records(CLI::App& app, Run& run) {
  CLI::App* verb = app.add_subcommand("records", "Shows, imports and exports the stored measurements");
  verb->footer(
      "Examples:\n"
      "  hone records list\n"
      "  hone records best --json\n"
      "  hone records export > records.jsonl");
  verb->require_subcommand(1);
  for (const char* name : {"list", "best", "import", "export", "report"}) {
    auto options = std::make_shared<CommonOptions>();
    CLI::App* sub = verb->add_subcommand(name, "");
    add_common_options(*sub, *options);
    sub->callback([options, &run] {
      run = [options] {
        set_up_logging({.quiet = options->quiet});
        return run_records();
      };
    });
  }
}

}  // namespace hone::cli
