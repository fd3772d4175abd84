#include "cli/bench_history/confirm.h"

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"

namespace hone::bench_history {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDeviceKeyDigits = 32;  // schema/device_key.h

Confirmation unknown(std::string why) { return {.message = std::move(why)}; }

// Names stand in a report, which may be anybody's: one that leads out of a folder, or that a selector would take for more than a key, names nothing.
bool is_folder_name(const std::string& name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), plain);
}

bool is_device_key(const std::string& key) {
  return key.size() == kDeviceKeyDigits && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The folder of builds beside the reading's report; "" where it has not kept the case.
std::string kept_builds(const Reading& reading) {
  const fs::path builds = fs::path(reading.file).parent_path() / kBuildsFolder;
  std::error_code ignored;
  return fs::exists(builds / reading.case_name / "manifest.json", ignored) ? builds.string() : "";
}

std::string last_kept(const CaseSeries& series, size_t from, size_t to) {
  for (size_t i = to; i > from; --i)
    if (std::string builds = kept_builds(series.readings[i - 1]); !builds.empty()) return builds;
  return "";
}

std::string first_kept(const CaseSeries& series, size_t from, size_t to) {
  for (size_t i = from; i < to; ++i)
    if (std::string builds = kept_builds(series.readings[i]); !builds.empty()) return builds;
  return "";
}

Confirmation judged(const Change& change, const protocol::BenchResult& result) {
  if (!result.comparison) return unknown(result.message.empty() ? "nothing was compared" : result.message);
  const protocol::Verdict wanted = change.point.change > 0 ? protocol::Verdict::kSlower : protocol::Verdict::kFaster;
  return {.confirmed = result.comparison->verdict == wanted ? Confirmed::kYes : Confirmed::kNo, .comparison = result.comparison};
}

}  // namespace

Result<Confirmation> confirm(const CaseSeries& series, const Change& change, const ComparePair& compare) {
  if (!is_folder_name(series.case_name)) return unknown("the case's name is none of a kept package");
  if (!is_device_key(series.device_key)) return unknown("the report names no class of devices");
  const BuildPair pair{.old_builds = last_kept(series, change.from, change.point.at), .new_builds = first_kept(series, change.point.at, change.to),
                       .case_name = series.case_name, .target = series.target, .device_key = series.device_key};
  if (pair.old_builds.empty() || pair.new_builds.empty()) return unknown(cat("no night ", pair.old_builds.empty() ? "before" : "after", " it has kept its builds"));
  if (pair.old_builds == pair.new_builds) return unknown("both nights have the same builds; give each night a folder of its own");
  const auto result = compare(pair);
  if (result.ok()) return judged(change, *result);
  if (result.error().code == ErrorCode::kCancelled) return result.error();
  return unknown(shortened(result.error().message));
}

bool is_regression(const Confirmation& confirmation) {
  if (confirmation.confirmed != Confirmed::kYes || confirmation.comparison->verdict != protocol::Verdict::kSlower) return false;
  return !confirmation.comparison->regression || confirmation.comparison->regression == protocol::Answer::kYes;
}

}  // namespace hone::bench_history
