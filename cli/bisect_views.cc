#include "cli/bisect_views.h"

#include "base/cat.h"
#include "cli/bench_reports/rows.h"

namespace hone::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string change_of(const bisect::Judged& judged) {
  if (!judged.comparison) return "";
  return cat(", ", bench_reports::change_text(judged.comparison->ratio), " (", bench_reports::interval_text(judged.comparison->ratio_low, judged.comparison->ratio_high), ")");
}

OrderedJson number_or_null(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson step_json(const bisect::Step& step, const bisect::GitRepository& repository) {
  constexpr const char* kNames[] = {"good", "bad", "unknown"};
  OrderedJson json{{"commit", step.commit}, {"title", repository.title(step.commit)}, {"judgement", kNames[static_cast<size_t>(step.judged.judgement)]}, {"message", step.judged.message}};
  if (const auto& comparison = step.judged.comparison)
    json["comparison"] = {{"ratio", comparison->ratio}, {"ratio_low", number_or_null(comparison->ratio_low)}, {"ratio_high", number_or_null(comparison->ratio_high)}, {"pairs", comparison->pairs}};
  return json;
}

}  // namespace

std::string step_text(const std::string& title, const bisect::Judged& judged) {
  return cat(title, ": ", bisect::judgement_name(judged.judgement), change_of(judged), judged.message.empty() ? "" : cat("; ", judged.message));
}

std::string found_text(const bisect::Found& found, const bisect::GitRepository& repository) {
  if (!found.first_bad.empty()) return cat("first bad commit: ", found.first_bad, "\n", repository.title(found.first_bad), "\n");
  std::string out = "the first bad commit is one of these, which could not be told apart:\n";
  for (const std::string& commit : found.left) out += cat("  ", repository.title(commit), "\n");
  return found.left.empty() ? "" : out;
}

nlohmann::ordered_json found_json(const bisect::Found& found, const bisect::GitRepository& repository) {
  OrderedJson json{{"first_bad", found.first_bad.empty() ? OrderedJson(nullptr) : OrderedJson(found.first_bad)}, {"left", found.left}, {"steps", OrderedJson::array()}};
  for (const bisect::Step& step : found.steps) json["steps"].push_back(step_json(step, repository));
  return json;
}

}  // namespace hone::cli
