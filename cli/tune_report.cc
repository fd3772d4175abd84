#include "cli/tune_report.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/cat.h"
#include "base/number_text.h"
#include "cli/console.h"
#include "tuner/records/device_state.h"

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

std::string ratio_text(double slow, double fast) {
  return slow > 0 && fast > 0 ? cat(number_text(slow / fast), "×") : "-";
}

// Adds the candidates that failed, by what went wrong; what was dropped before it became one is no error.
void add_errors(const nlohmann::json& task, std::map<std::string, int>& counts) {
  const nlohmann::json errors = task.value("errors", nlohmann::json::object());  // named: it lives as long as the loop
  for (const auto& [code, n] : errors.items())
    if (code.rfind("pruned_", 0) != 0) counts[code] += n.get<int>();
}

int error_count(const nlohmann::json& task) {
  std::map<std::string, int> counts;
  add_errors(task, counts);
  return std::accumulate(counts.begin(), counts.end(), 0,
                         [](int sum, const auto& count) { return sum + count.second; });
}

// How many tasks have each name.
using Names = std::map<std::string, int>;

// The time was over before its turn.
bool was_not_measured(const nlohmann::json& task) {
  return number(task, "best_ms") == 0 && task.value("trials", 0) == 0 &&
         task.value("errors", nlohmann::json::object()).empty();
}

// Tasks may differ in what their names leave out, such as the axes of a transpose; the beginning of the id tells those apart.
std::string name_of(const nlohmann::json& task, const Names& names) {
  const std::string op = task.value("op", "");
  return names.at(op) > 1 ? cat(op, " [", task.value("id", "").substr(0, 4), "]") : op;
}

std::vector<std::string> row_of(const nlohmann::json& task, const Names& names) {
  const std::string naive = cat(task.value("naive_estimated", false) ? "~" : "", time_text(number(task, "naive_ms")));
  return {name_of(task, names),
          cat(task.value("weight", 1)),
          cat(task.value("trials", 0)),
          cat(error_count(task)),
          naive,
          was_not_measured(task) ? "not measured" : time_text(number(task, "seed_ms")),
          time_text(number(task, "best_ms")),
          number(task, "gflops") > 0 ? number_text(number(task, "gflops")) : "-",
          ratio_text(number(task, "naive_ms"), number(task, "best_ms"))};
}

// Sums over the tasks that have all that is summed.
struct Sums {
  size_t tasks = 0;
  double naive_ms = 0, seed_ms = 0, best_ms = 0;  // weighted; naive_ms 0 where a yardstick is missing
};

Sums sums_of(const nlohmann::json& tasks) {
  Sums sums;
  bool every_naive = true;
  for (const auto& task : tasks) {
    const double weight = number(task, "weight"), best_ms = number(task, "best_ms"), seed_ms = number(task, "seed_ms");
    if (best_ms <= 0 || seed_ms <= 0) continue;
    ++sums.tasks;
    every_naive = every_naive && number(task, "naive_ms") > 0;
    sums.naive_ms += weight * number(task, "naive_ms");
    sums.seed_ms += weight * seed_ms;
    sums.best_ms += weight * best_ms;
  }
  if (!every_naive) sums.naive_ms = 0;
  return sums;
}

// How many candidates failed, by what went wrong: "errors: unstable 2, wrong_output 1".
std::string errors_text(const nlohmann::json& tasks) {
  std::map<std::string, int> counts;
  for (const auto& task : tasks) add_errors(task, counts);
  std::string text;
  for (const auto& [code, n] : counts) text += cat(text.empty() ? "errors: " : ", ", code, " ", n);
  return text.empty() ? "" : text + "; hone records list says why\n";
}

constexpr size_t kWaitingNamedMax =
    10;  // tasks that were not measured and still have rows: half of a terminal of 24 lines

// Rows of the tasks; where many were not measured, these are counted.
std::string rows_text(const nlohmann::json& tasks) {
  Table table{.numeric = {false, true, true, true, true, true, true, true, true}};
  table.rows.push_back({"task", "uses", "trials", "errors", "naive", "seed", "best", "GFLOP/s", "naive/best"});
  const auto waiting = std::count_if(tasks.begin(), tasks.end(), was_not_measured);
  const bool named = static_cast<size_t>(waiting) <= kWaitingNamedMax;
  Names names;
  for (const auto& task : tasks) names[task.value("op", "")]++;
  for (const auto& task : tasks)
    if (named || !was_not_measured(task)) table.rows.push_back(row_of(task, names));
  return table_text(table) + (named ? "" : cat(waiting, " more tasks: not measured, they keep their seeds\n")) + "\n";
}

std::string sums_text(const nlohmann::json& tasks) {
  const Sums sums = sums_of(tasks);
  if (sums.tasks == 0) return "no task was measured\n";
  std::string text = sums.tasks == tasks.size() ? "the kernels of the whole model"
                                                : cat("the kernels of ", sums.tasks, " of ", tasks.size(), " tasks");
  const std::string naive = sums.naive_ms > 0 ? cat("naive ", time_text(sums.naive_ms), ", ") : "";
  text += cat(", each times its uses: ", naive, "seed ", time_text(sums.seed_ms), ", best ", time_text(sums.best_ms),
              "; the best is ");
  if (sums.naive_ms > 0) text += cat(ratio_text(sums.naive_ms, sums.best_ms), " as fast as naive and ");
  return text + cat(ratio_text(sums.seed_ms, sums.best_ms), " as fast as the seed\n");
}

}  // namespace

nlohmann::ordered_json in_documented_order(const nlohmann::json& result) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  take(result, out,
       {"job", "device", "target", "tasks", "trials", "trials_new", "trials_per_second", "wall_s", "model_ms_naive",
        "model_ms_before", "model_ms_after"});
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const auto& task : result.value("tasks", nlohmann::json::array())) {
    nlohmann::ordered_json one = nlohmann::ordered_json::object();
    take(task, one,
         {"id", "op", "shape", "weight", "trials", "trials_new", "errors", "naive_ms", "naive_estimated", "seed_ms",
          "best_ms", "gflops", "trials_to_95", "refusal", "pairwise_accuracy"});
    tasks.push_back(std::move(one));
  }
  out["tasks"] = std::move(tasks);
  return out;
}

std::string tune_report_text(const nlohmann::json& result) {
  const nlohmann::json tasks = result.value("tasks", nlohmann::json::array());
  std::string text = rows_text(tasks);
  if (tasks.size() > 1) text += sums_text(tasks);
  text += cat(counted(result.value("trials", 0), "trial"), ", ", result.value("trials_new", 0), " of them new, ",
              number_text(number(result, "trials_per_second")), " per second, ",
              duration_text(number(result, "wall_s")), "\n");
  text += errors_text(tasks);
  if (std::string why = result.value("stopped_because", ""); !why.empty()) text += why + "\n";
  if (const double slowdown = number(result, "slowdown"); slowdown > tuner::kSlowState)
    text += cat("the device took ", number_text(slowdown),
                " times as long as usual for the same work: these times are not those of before, and the next search "
                "measures the best again\n");
  return text;
}

std::string naive_hint(const nlohmann::json& result) {
  const nlohmann::json tasks = result.value("tasks", nlohmann::json::array());
  const bool missing = std::any_of(tasks.begin(), tasks.end(), [](const nlohmann::json& task) {
    return number(task, "best_ms") > 0 && number(task, "naive_ms") == 0;
  });
  return missing ? "naive -: not timed, it would take too much of the time; a run without --time times it\n" : "";
}

std::string tasks_without_time(const nlohmann::json& result) {
  std::string names;
  for (const auto& task : result.value("tasks", nlohmann::json::array())) {
    if (number(task, "best_ms") > 0 || was_not_measured(task)) continue;
    names += cat(names.empty() ? "" : "; ", task.value("op", ""), " (");
    if (task.contains("refusal") && task["refusal"].is_string()) {
      names += task["refusal"].get<std::string>() + ")";
      continue;
    }
    const nlohmann::json errors = task.value("errors", nlohmann::json::object());
    for (const auto& [code, n] : errors.items()) names += cat(n.get<int>(), " ", code, ", ");
    names += cat(counted(task.value("trials", 0), "trial"), ")");
  }
  return names.empty() ? "" : cat("no time was found for: ", names, "; hone records list says why each trial failed");
}

}  // namespace hone::cli
