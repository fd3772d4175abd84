#include "cli/bisect/commit_builds.h"

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"

namespace hone::bisect {
namespace {

namespace fs = std::filesystem;

// Builds outside of a commit's folder would be one build for all commits.
Status check_build_path(const std::string& build) {
  const fs::path path = fs::path(build).lexically_normal();
  if (!build.empty() && path.is_relative() && path.begin() != path.end() && *path.begin() != ".." && path != ".") return ok_status();
  return Error{ErrorCode::kInvalidArgument, cat("found --build ", build.empty() ? "without a path" : shortened(build), ", expected what the command leaves in a commit's folder, such as build/model.onnx")};
}

Judgement judgement_of(const protocol::BenchReport& report, const protocol::BenchResult& result) {
  if (!result.comparison) return Judgement::kUnknown;
  const protocol::BenchComparison& comparison = *result.comparison;
  if (!report.fail_above) {
    if (comparison.verdict == protocol::Verdict::kSlower) return Judgement::kBad;
    return comparison.verdict == protocol::Verdict::kInconclusive ? Judgement::kUnknown : Judgement::kGood;
  }
  switch (comparison.regression.value_or(protocol::Answer::kUnknown)) {
    case protocol::Answer::kNo: return Judgement::kGood;
    case protocol::Answer::kYes: return Judgement::kBad;
    case protocol::Answer::kUnknown: break;
  }
  return Judgement::kUnknown;
}

// What decides a commit: one result that is bad, else one that is not known.
int weight(Judgement judgement) { return judgement == Judgement::kBad ? 2 : judgement == Judgement::kUnknown ? 1 : 0; }

double ratio_of(const Judged& judged) { return judged.comparison ? judged.comparison->ratio : 0; }

bool outweighs(const Judged& a, const Judged& b) {
  return weight(a.judgement) != weight(b.judgement) ? weight(a.judgement) > weight(b.judgement) : ratio_of(a) > ratio_of(b);
}

Judged judged_of_result(const protocol::BenchReport& report, const protocol::BenchCase& one, const protocol::BenchResult& result) {
  Judged judged{.judgement = judgement_of(report, result), .comparison = result.comparison};
  if (judged.judgement != Judgement::kUnknown) return judged;
  judged.message = cat(one.name, ": ", !result.message.empty() ? result.message : result.comparison ? "the interval permits both" : "nothing was compared");
  return judged;
}

// No commit changes these; each would only be skipped.
bool ends_search(const Error& error) { return error.code == ErrorCode::kCancelled || error.code == ErrorCode::kNoDevice; }

}  // namespace

Judged judged_of(const protocol::BenchReport& report) {
  std::optional<Judged> most;
  for (const protocol::BenchCase& one : report.cases)
    for (const protocol::BenchResult& result : one.results) {
      Judged judged = judged_of_result(report, one, result);
      if (!most || outweighs(judged, *most)) most = std::move(judged);
    }
  return most ? *most : Judged{.message = "nothing was compared"};
}

Result<CommitBuilds> CommitBuilds::start(Config config, const std::string& good) {
  HONE_TRY(check_build_path(config.build));
  auto built = build(config, good);
  if (!built.ok() && built.error().code == ErrorCode::kCancelled) return built.error();
  if (!built.ok()) return Error{built.error().code, cat("GOOD, ", config.repository.title(good), ", has no build: ", built.error().message)};
  return CommitBuilds(std::move(config), std::move(*built));
}

Result<CommitBuilds::Built> CommitBuilds::build(const Config& config, const std::string& commit) {
  HONE_ASSIGN(tree, config.repository.check_out(commit, (fs::path(config.folder) / commit).string()));
  const std::string path = (fs::path(tree.path()) / config.build).string();
  HONE_TRY(run_in_folder(tree.path(), config.command));
  std::error_code error;
  if (!fs::exists(path, error)) return Error{ErrorCode::kNotFound, cat("the command ended well and left no ", config.build)};
  return Built{std::move(tree), path};
}

Result<Judged> CommitBuilds::judge(const std::string& commit) {
  const auto built = build(config_, commit);
  if (!built.ok()) return ends_search(built.error()) ? Result<Judged>(built.error()) : Judged{.message = shortened(built.error().message)};
  const auto report = config_.compare(good_.path, built->path);
  if (!report.ok()) return ends_search(report.error()) ? Result<Judged>(report.error()) : Judged{.message = shortened(report.error().message)};
  return judged_of(*report);
}

}  // namespace hone::bisect
