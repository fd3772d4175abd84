#include "cli/tune_report.h"

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

void take(const nlohmann::json& from, nlohmann::ordered_json& to, std::initializer_list<const char*> first) {
  for (const char* key : first)
    if (from.contains(key)) to[key] = from[key];
  for (const auto& [key, value] : from.items())
    if (!to.contains(key)) to[key] = value;
}

// A task that was never measured has null figures.
double number(const nlohmann::json& object, const char* key) {
  auto it = object.find(key);
  return it != object.end() && it->is_number() ? it->get<double>() : 0;
}

std::string ms_text(const nlohmann::json& object, const char* key) {
  double value = number(object, key);
  return value > 0 ? number_text(value) : "-";
}

std::string ratio_text(double slow, double fast) {
  return slow > 0 && fast > 0 ? cat(number_text(slow / fast), "×") : "-";
}

// Candidates that failed; what was dropped before it became one is no error.
int error_count(const nlohmann::json& task) {
  int count = 0;
  const nlohmann::json errors = task.value("errors", nlohmann::json::object());  // named: it lives as long as the loop
  for (const auto& [code, n] : errors.items())
    if (code.rfind("pruned_", 0) != 0) count += n.get<int>();
  return count;
}

}  // namespace

nlohmann::ordered_json in_documented_order(const nlohmann::json& result) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  take(result, out,
       {"job", "device", "target", "tasks", "trials", "trials_per_second", "wall_s", "model_ms_naive",
        "model_ms_before", "model_ms_after"});
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const auto& task : result.value("tasks", nlohmann::json::array())) {
    nlohmann::ordered_json one = nlohmann::ordered_json::object();
    take(task, one,
         {"id", "op", "shape", "weight", "trials", "errors", "naive_ms", "seed_ms", "best_ms", "gflops", "trials_to_95",
          "pairwise_accuracy"});
    tasks.push_back(std::move(one));
  }
  out["tasks"] = std::move(tasks);
  return out;
}

std::string tune_report_text(const nlohmann::json& result) {
  Table table{.numeric = {false, true, true, true, true, true, true, true, true}};
  table.rows.push_back({"task", "uses", "trials", "errors", "naive ms", "seed ms", "best ms", "GFLOP/s", "naive/best"});
  for (const auto& task : result.value("tasks", nlohmann::json::array()))
    table.rows.push_back({task.value("op", ""), cat(task.value("weight", 1)), cat(task.value("trials", 0)),
                          cat(error_count(task)), ms_text(task, "naive_ms"), ms_text(task, "seed_ms"),
                          ms_text(task, "best_ms"), ms_text(task, "gflops"),
                          ratio_text(number(task, "naive_ms"), number(task, "best_ms"))});
  std::string text = table_text(table);
  double naive = number(result, "model_ms_naive"), before = number(result, "model_ms_before"),
         after = number(result, "model_ms_after");
  text += cat("\nall tasks, with their uses: naive ", ms_text(result, "model_ms_naive"), " ms, untuned ",
              ms_text(result, "model_ms_before"), " ms, tuned ", ms_text(result, "model_ms_after"),
              " ms: ", ratio_text(naive, after), " faster than naive, ", ratio_text(before, after), " than untuned\n");
  text += cat(result.value("trials", 0), " trials, ", number_text(number(result, "trials_per_second")), " per second, ",
              duration_text(number(result, "wall_s")), "\n");
  if (std::string why = result.value("stopped_because", ""); !why.empty()) text += why + "\n";
  return text;
}

std::string tasks_without_time(const nlohmann::json& result) {
  std::string names;
  for (const auto& task : result.value("tasks", nlohmann::json::array())) {
    if (number(task, "best_ms") > 0) continue;
    names += cat(names.empty() ? "" : "; ", task.value("op", ""), " (");
    const nlohmann::json errors = task.value("errors", nlohmann::json::object());
    for (const auto& [code, n] : errors.items()) names += cat(n.get<int>(), " ", code, ", ");
    names += cat(task.value("trials", 0), " trials)");
  }
  return names.empty() ? "" : cat("no candidate got a time: ", names, "; hone records list says why each failed");
}

}  // namespace hone::cli
