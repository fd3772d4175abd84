#include "cli/compare_schedules.h"

#include <algorithm>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/report/device_text.h"
#include "cli/source.h"

namespace hone::cli {

namespace {

using Json = nlohmann::json;

Result<std::pair<protocol::JobRequest, std::string>> compare_job(const CommonOptions& common, const PlaceOptions& place,
                                                                 const CompareOptions& options) {
  protocol::JobRequest job = job_request(protocol::JobKind::kCompare, common, place);
  job.options = Json{{"schedules", options.schedules}};
  if (options.rounds > 0) (*job.options)["rounds"] = options.rounds;
  if (!options.cache.empty()) (*job.options)["cache"] = options.cache;
  if (!options.task.empty()) (*job.options)["task"] = options.task;
  HONE_ASSIGN(bytes, set_source(job, {.model = options.model, .op = options.op}, common.dims));
  return std::pair(std::move(job), std::move(bytes));
}

double number_at(const Json& object, const char* key) { return object.value(key, 0.0); }

std::string interval_text(const Json& comparison) {
  if (!comparison["ratio_low"].is_number() || !comparison["ratio_high"].is_number()) return "";
  return cat(" (", number_text(number_at(comparison, "ratio_low")), " to ", number_text(number_at(comparison, "ratio_high")), ", 99 %)");
}

std::string verdict(const Json& first, const Json& other) {
  const Json comparison = other.value("comparison", Json::object());
  const std::string said = comparison.value("verdict", ""), pairs = counted(comparison.value("pairs", 0), "pair");
  const std::string names = cat(other.value("name", ""), " takes ", number_text(number_at(comparison, "ratio")), " of the time of ", first.value("name", ""), interval_text(comparison));
  if (said == "faster" || said == "slower") return cat(names, ": it is ", said, "\n");
  if (said == "same") return cat(names, ": they differ by less than 1 %\n");
  return cat(names, ": after ", pairs, " it is not known which is faster\n");
}

}  // namespace

std::string compare_text(const Json& result) {
  const Json schedules = result.value("schedules", Json::array());
  Table table{.rows = {{"schedule", "source", "time", "fastest round", "slowest round"}},
              .numeric = {false, false, true, true, true}};
  std::string verdicts;
  for (const Json& one : schedules) {
    std::vector<double> rounds = one.value("us_rounds", std::vector<double>());
    const std::string message = one.value("message", "");
    const auto text = [](double us) { return us > 0 ? time_text(us / 1000) : std::string("-"); };
    const auto [low, high] = std::minmax_element(rounds.begin(), rounds.end());
    table.rows.push_back({one.value("name", ""), one.value("source", "").substr(0, 8), text(number_at(one, "us_median")),
                          rounds.empty() ? "-" : text(*low), rounds.empty() ? "-" : text(*high)});
    const bool comparable = one.contains("comparison");
    if (!message.empty()) verdicts += cat(one.value("name", ""), " has no time: ", message, "\n");
    else if (comparable) verdicts += verdict(schedules.front(), one);
  }
  return cat(result.value("op", ""), ", ", counted(result.value("rounds", 0), "round"), " in turns\n",
             table_text(table), verdicts);
}

ExitCode compare_schedules(const CommonOptions& common, const PlaceOptions& place, const CompareOptions& options) {
  if (options.model.empty() == options.op.empty())
    return usage_error("give a model or --op SPEC, and one of them only");
  auto job = compare_job(common, place, options);
  if (!job.ok()) return refuse_source({.model = options.model, .op = options.op}, job.error());
  auto runner = JobRunner::start(common, place);
  if (!runner.ok()) return fail_to_start(runner.error());
  auto result = (*runner)->run(std::move(job->first), std::move(job->second));
  if (!result.ok()) return fail(result.error());
  if (common.json) print_json(result->result);
  else print_text(compare_text(result->result) + report::measured_on_text(result->result));
  return ExitCode::kDone;
}

}  // namespace hone::cli
