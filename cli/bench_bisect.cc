// hone bench bisect: the first commit whose build is slower.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/bench_suite.h"
#include "cli/bench_verbs.h"
#include "cli/bisect/commit_builds.h"
#include "cli/bisect_views.h"
#include "cli/compare_pair.h"
#include "cli/console.h"
#include "cli/share.h"
#include "cli/temp_folder.h"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct BisectOptions {
  CommonOptions common;
  PlaceOptions place;
  std::string good, bad, build, suite, model;
  std::string fail_on_regression = "3%", clock = "run";
  std::vector<std::string> command;
  BenchCase one;  // of the command line
};

BenchCase case_of(const BisectOptions& options, const std::string& name) {
  BenchCase one = options.one;
  one.name = name, one.source.model = options.model, one.dims = options.common.dims;
  one.target = options.place.target, one.device = options.place.device, one.kernels_alone = options.clock == "kernels";
  return one;
}

// The packages of a folder, as --keep leaves them. A package, a model or a program has the one case of the command line.
std::vector<std::string> case_names(const std::string& build) {
  std::error_code error;
  if (!fs::is_directory(build, error) || fs::exists(fs::path(build) / "manifest.json", error)) return {"build"};
  std::vector<std::string> names;
  for (fs::directory_iterator entry(build, error), end; !error && entry != end; entry.increment(error))
    if (fs::exists(entry->path() / "manifest.json", error)) names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Result<BenchSuite> suite_for(const BisectOptions& options, const std::string& old_build) {
  if (!options.suite.empty()) return read_suite(options.suite);
  BenchSuite suite{.name = "bisect"};
  for (const std::string& name : case_names(old_build)) suite.cases.push_back(case_of(options, name));
  if (suite.cases.empty()) return Error{ErrorCode::kNotFound, cat(options.build, " of GOOD holds no package, expected one, a folder of them, a model or a program; name what the command leaves with --build")};
  return suite;
}

// The database of the folder, or one that goes with the bisection: none is left in a working tree.
CommonOptions leaving_no_database(CommonOptions common, const std::string& folder) {
  std::error_code error;
  if (!common.db_given && !fs::exists(common.db, error)) common.db = folder + "/hone.db";
  return common;
}

void tell_step(const std::string& text, bool quiet) {
  if (!quiet) std::fputs(printable_lines(text + "\n").c_str(), stderr);
}

Result<bisect::Found> find(const BisectOptions& options, const bisect::GitRepository& repository, double share) {
  HONE_ASSIGN(good, repository.commit_of(options.good));
  HONE_ASSIGN(bad, repository.commit_of(options.bad));
  HONE_TRY(bisect::check_ends(repository, good, bad));
  HONE_ASSIGN(folder, TempFolder::make());
  const CommonOptions common = leaving_no_database(options.common, folder.path());
  const auto compare = [&](const std::string& old_build, const std::string& new_build) -> Result<protocol::BenchReport> {
    HONE_ASSIGN(suite, suite_for(options, old_build));
    return compare_pair({.old_build = old_build, .new_build = new_build}, suite, common, options.place, share);
  };
  tell_step(cat("building GOOD, ", repository.title(good)), options.common.quiet);
  HONE_ASSIGN(builds, bisect::CommitBuilds::start({.repository = repository, .folder = folder.path(), .command = options.command, .build = options.build, .compare = compare}, good));
  return bisect::find_first_bad(repository, good, bad, [&](const std::string& commit) -> Result<bisect::Judged> {
    const std::string title = repository.title(commit);
    tell_step(cat("building ", title), options.common.quiet);
    HONE_ASSIGN(judged, builds.judge(commit));
    tell_step(step_text(title, judged), options.common.quiet);
    return judged;
  });
}

ExitCode told(const bisect::Found& found, const bisect::GitRepository& repository, const BisectOptions& options) {
  if (options.common.json) print_json(found_json(found, repository));
  else print_text(found_text(found, repository));
  if (!found.first_bad.empty()) return ExitCode::kDone;
  if (!found.left.empty()) return ExitCode::kJobFailed;
  return fail({ErrorCode::kInvalidArgument, cat("BAD is not known to be slower than GOOD by more than ", options.fail_on_regression, ", so there is nothing to find: ", step_text(repository.title(found.steps.front().commit), found.steps.front().judged))});
}

ExitCode run_bisect(const BisectOptions& options) {
  const auto share = parse_share(options.fail_on_regression);
  if (!share.ok()) return usage_error(share.error().message);
  if (!options.suite.empty() && !options.model.empty()) return usage_error("give --suite or --model, not both");
  const auto repository = bisect::GitRepository::open(".");
  if (!repository.ok()) return fail(repository.error());
  const auto found = find(options, *repository, *share);
  if (!found.ok()) return found.error().code == ErrorCode::kInvalidArgument ? usage_error(found.error().message) : fail(found.error());
  return told(*found, *repository, options);
}

}  // namespace

void add_bench_bisect(Verb bench) {
  auto options = std::make_shared<BisectOptions>();
  Verb verb = bench.sub("bisect", "The first commit whose build is slower");
  verb.footer(
      "Examples:\n"
      "  hone bench bisect v1.2 main --build model.onnx -- true                         a model that is checked in\n"
      "  hone bench bisect v1.2 main --build out/packages -- ./build.sh out/packages    what a command makes of each commit\n"
      "  hone bench bisect v1.2 main --build build/hone --suite suite.yaml -- make -j8  builds of hone itself\n"
      "Each commit is checked out and built in a folder of its own; your working tree is not touched.");
  verb.option("good", options->good, "A commit that is fast").required();
  verb.option("bad", options->bad, "A later one that is slow").required();
  verb.option("command", options->command, "Builds a commit, in its folder; behind --").required();
  verb.option("--build", options->build, "What the command leaves, relative to the commit's folder: a package, a folder of packages, a model.onnx, or a build of hone").required().check(not_empty());
  verb.option("--suite", options->suite, "Cases in a YAML file (docs/ci.md)").check(not_empty());
  verb.option("--model", options->model, "The model that builds of hone make into kernels").check(not_empty());
  verb.option("--fail-on-regression", options->fail_on_regression, "A commit is bad that is slower than GOOD by more than this share, for sure").default_shown().check(not_empty());
  verb.option("--pairs", options->one.pairs_max, "Pairs of times after which it is not known which build is faster").default_shown().check(in_range(10, 480));
  verb.option("--sample", options->one.sample_ms, "Milliseconds that one of these times is measured, at least").default_shown().check(in_range(0.0, 10000.0));
  verb.option("--clock", options->clock, "What is compared: run (with the inputs' and outputs' way to the device and back), or kernels alone").default_shown().check(one_of({"run", "kernels"}));
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService, Uses::kSeed, Uses::kModels});
  add_place_options(verb, options->place);
  verb.runs([options] {
    set_up_logging({.quiet = options->common.quiet, .warnings_only = true});
    return run_bisect(*options);
  });
}

}  // namespace hone::cli
