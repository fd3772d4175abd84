#include "cli/bench_report.h"

#include <cmath>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "cli/report/device_text.h"

namespace hone::cli {

namespace {

using Json = nlohmann::json;

const Json* variant_of(const Json& result, const char* schedule) {
  const auto variants = result.find("variants");
  if (variants == result.end()) return nullptr;
  for (const Json& variant : *variants)
    if (variant.value("schedule", "") == schedule) return &variant;
  return nullptr;
}

double number(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

// Without a tuned task the best schedules are the seed: two timings of the same kernels, which are noise to each other.
bool is_seed(const Json& best) {
  const Json schedules = best.value("schedules", Json::object());
  return schedules.value("tuned", 0) + schedules.value("naive", 0) == 0 && schedules.value("seed", 0) > 0;
}

Json ratio(const Json& result, const char* schedule) {
  const Json *slow = variant_of(result, schedule), *fast = variant_of(result, "best");
  if (!slow || !fast || (schedule == std::string_view("seed") && is_seed(*fast))) return nullptr;
  const double slow_ms = number(*slow, "model_ms_median"), fast_ms = number(*fast, "model_ms_median");
  return slow_ms > 0 && fast_ms > 0 ? Json(slow_ms / fast_ms) : Json(nullptr);
}

std::string percent_text(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_number() ? cat(number_text(100 * it->get<double>()), " %") : "-";
}

std::vector<std::string> row_of(const Json& variant) {
  return {variant.value("schedule", ""),
          cat(variant.value("run_ms", Json::array()).size()),
          time_text(number(variant, "model_ms_median")),
          time_text(number(variant, "model_ms_p10")),
          time_text(number(variant, "model_ms_p90")),
          time_text(number(variant, "kernel_ms_median")),
          percent_text(variant, "host_share")};
}

constexpr const char* kSchedules[] = {"naive", "seed", "best"};

std::string variants_text(const Json& result) {
  Table table{.numeric = {false, true, true, true, true, true, true}};
  table.rows.push_back({"schedule", "runs", "median", "10 %", "90 %", "kernels", "host"});
  std::string skipped;
  for (const char* schedule : kSchedules) {
    const Json* variant = variant_of(result, schedule);
    if (!variant) continue;
    table.rows.push_back(row_of(*variant));
    if (const auto why = variant->find("skipped"); why != variant->end() && why->is_string())
      skipped += cat(schedule, ": ", why->get<std::string>(), "\n");
  }
  return table_text(table) + skipped;
}

std::string ratios_text(const Json& result) {
  std::string text;
  for (const char* schedule : {"seed", "naive"})
    if (const Json times = ratio(result, schedule); times.is_number())
      text += cat(text.empty() ? "best is " : " and ", number_text(times.get<double>()), "× as fast as ", schedule);
  return text.empty() ? "" : text + "\n";
}

std::string tuned_text(const Json& variant) {
  const Json schedules = variant.value("schedules", Json::object());
  const int tuned = schedules.value("tuned", 0), seed = schedules.value("seed", 0), naive = schedules.value("naive", 0);
  const int all = tuned + seed + naive, trials = variant.value("trials", 0);  // 0: a package does not say
  std::string text =
      tuned == 0 ? cat("none of ", all, " tasks is tuned")
                 : cat(tuned, " of ", all, " tasks are tuned", trials > 0 ? cat(", by ", trials, " trials") : "");
  if (tuned == all) return text + "\n";
  text += "; ";
  if (seed > 0) text += cat(seed, seed == 1 ? " has its seed" : " have their seed");
  if (naive > 0)
    text += cat(seed > 0 ? ", " : "", naive, seed > 0 ? "" : naive == 1 ? " has" : " have", " the plain schedule");
  return text + "\n";
}

std::string tasks_text(const Json& variant) {
  Table table{.numeric = {false, false, true, true, true, true}};
  table.rows.push_back({"task", "schedule", "uses", "launches", "one use", "share"});
  bool measured = true;
  for (const Json& task : variant["tasks"]) {
    const bool known = number(task, "us") > 0;
    table.rows.push_back({task.value("op", ""), task.value("schedule", ""), cat(task.value("uses", 0)),
                          cat(task.value("uses", 0) * task.value("launches", 0)), time_text(number(task, "us") / 1000),
                          known ? percent_text(task, "share") : "-"});
    measured = measured && task.value("measured", false);
  }
  return cat("\n", table_text(table), variant.value("schedule", ""), " schedules; ",
             measured ? "each launch alone and warm, by the device's clock\n"
                      : "the times are those of the records: this device's clock does not tell launches apart\n");
}

}  // namespace

Json with_ratios(Json result) {
  Json seed = ratio(result, "seed"), naive = ratio(result, "naive");
  result["seed_over_best"] = std::move(seed);
  result["naive_over_best"] = std::move(naive);
  return result;
}

std::string bench_report_text(const Json& result) {
  std::string text = variants_text(result) + "\n" + ratios_text(result);
  const auto variants = result.find("variants");
  if (variants == result.end() || variants->empty()) return text;
  const Json& first = variants->front();
  if (first.value("schedule", "") == "best")
    text += cat(tuned_text(first), report::older_browser_text(first.value("schedules", Json::object()),
                                                              result.value("device", Json::object())));
  if (const auto tasks = first.find("tasks"); tasks != first.end() && tasks->is_array()) text += tasks_text(first);
  return text;
}

}  // namespace hone::cli
