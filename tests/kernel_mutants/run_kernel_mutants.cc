// run_kernel_mutants TARGET --db FILE [--count N --seed S]: has wrong kernels measured by a device of the target, through the whole
// service, and counts those that are found wrong. Exit code 1 when one is not, or when a right kernel is refused.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/cat.h"
#include "base/log.h"
#include "base/rng.h"
#include "codegen/compile.h"
#include "schema/generated/error_code.h"
#include "server/agent_files.h"
#include "tests/kernel_mutants/mutant_pool.h"
#include "tests/replay/list_strategy.h"
#include "tests/replay/run_job.h"
#include "tuner/records/sql_store.h"

namespace hone::kernel_mutants {
namespace {

struct Options {
  std::string target = "webgpu", browser, db;
  int count = 300;
  uint64_t seed = 1;
};

std::string browser_of(const Options& options) {
  if (!options.browser.empty()) return options.browser;
  if (options.target == "webgpu" || options.target == "webgl") return "chromium";
  return options.target == "wasm" ? "node" : "native";
}

// A mutant travels under its number in the name of its trace's sketch; a right kernel under its own.
constexpr std::string_view kPrefix = "mutant ";
std::string sketch_of(size_t mutant) { return cat(kPrefix, mutant); }
std::optional<size_t> mutant_of(const std::string& sketch) {
  if (sketch.compare(0, kPrefix.size(), kPrefix) != 0) return std::nullopt;
  return static_cast<size_t>(std::stoull(sketch.substr(kPrefix.size())));
}

// What says that the kernel is wrong, not that the device could not try it.
bool finds(ErrorCode outcome) {
  return outcome == ErrorCode::kWrongOutput || outcome == ErrorCode::kNotWritten || outcome == ErrorCode::kCompileError ||
         outcome == ErrorCode::kValidationError || outcome == ErrorCode::kTimeout;
}

class Trial {
 public:
  explicit Trial(const Options& options) : options_(options), cases_(all_cases()) {}

  Status run();
  int report() const;

 private:
  cli::Service::Config config();
  tuner::Planner plan(const target::Target& target);
  std::vector<schedule::Trace> list_of(const te::Task& task) const;
  Status measure();
  Status read_outcomes();

  const Options options_;
  const std::vector<Case> cases_;
  Pool pool_;
  std::mutex mutex_;  // kernels of one lowering share an arena
  std::map<size_t, ErrorCode> outcomes_;
  int right_ = 0, right_refused_ = 0;
};

// Each right kernel and its mutants.
std::vector<schedule::Trace> Trial::list_of(const te::Task& task) const {
  std::vector<schedule::Trace> list;
  std::set<std::string> bases;
  for (size_t i = 0; i < pool_.mutants.size(); i++) {
    const Mutant& mutant = pool_.mutants[i];
    if (cases_[mutant.of_case].task.id != task.id) continue;
    if (bases.insert(schedule::trace_to_json(mutant.trace)).second) list.push_back(mutant.trace);
    if (mutant.is_refused) continue;
    list.push_back(mutant.trace);
    list.back().sketch = sketch_of(i);
  }
  return list;
}

tuner::Planner Trial::plan(const target::Target& target) {
  std::fprintf(stderr, "%s: drawing mutants\n", options_.target.c_str());
  pool_ = draw_mutants(cases_, target, options_.count, options_.seed);
  std::fprintf(stderr, "%s: %zu mutants\n", options_.target.c_str(), pool_.mutants.size());
  return [this, target](const te::Task& task) -> Result<tuner::Plan> {
    return tuner::Plan{.baseline = baseline_trace(task, target).value(), .strategy = std::make_unique<replay::ListStrategy>(list_of(task)), .races = false};
  };
}

cli::Service::Config Trial::config() {
  cli::Service::Config config{.db = options_.db, .agent_files = server::find_agent_files()};
  config.planner = [this](const target::Target& target, uint64_t, tuner::StrategyKind) { return plan(target); };
  config.tasks = [this](const server::ModelRequest&, const CancelToken*) -> Result<std::shared_ptr<const server::JobTasks>> {
    auto tasks = std::make_shared<server::JobTasks>();
    for (const Case& one : cases_) {
      tasks->tasks.push_back(one.task);
      tasks->weights.push_back(1);
    }
    return std::shared_ptr<const server::JobTasks>(std::move(tasks));
  };
  config.compile = [this](const te::Task& task, const schedule::Trace& trace, const target::Target& target) {
    const auto mutant = mutant_of(trace.sketch);
    std::lock_guard lock(mutex_);
    return mutant ? kernel_source(task, pool_.mutants[*mutant].kernel, target) : compile_kernel(task, trace, target);
  };
  return config;
}

Status Trial::measure() {
  protocol::JobRequest job{.kind = protocol::JobKind::kTune, .target = options_.target};
  job.source.op = "matmul:8x8x8";  // unread: the tasks are ours
  job.trials = 100000;
  job.device_wait_s = 60;
  job.options = nlohmann::json{{"samples", 1}, {"cache", "hot"}};
  return replay::run_job(config(), std::move(job), browser_of(options_));
}

Status Trial::read_outcomes() {
  HONE_ASSIGN(store, tuner::open_record_store({.where = options_.db}));
  std::set<Hash> ids;
  for (const Case& one : cases_) ids.insert(one.task.id);
  return store->list({.tasks = ids}, [&](const tuner::Record& r) {
    auto trace = schedule::trace_from_json(r.trace_json);
    if (!trace.ok()) return Status(trace.error());
    if (const auto mutant = mutant_of(trace->sketch)) outcomes_[*mutant] = r.outcome;
    else if (++right_; finds(r.outcome)) {
      ++right_refused_;
      std::fprintf(stderr, "a right kernel of %s is refused: %s, %s\n", r.task_id.hex().c_str(), std::string(error_name(r.outcome)).c_str(), r.message.c_str());
    }
    return ok_status();
  });
}

Status Trial::run() {
  HONE_TRY(measure());
  return read_outcomes();
}

int Trial::report() const {
  struct Count {
    int mutants = 0, caught = 0, refused = 0;
  };
  std::map<std::pair<std::string, std::string>, Count> counts;
  Count all;
  for (size_t i = 0; i < pool_.mutants.size(); i++) {
    const Mutant& mutant = pool_.mutants[i];
    const auto outcome = outcomes_.find(i);
    const bool caught = mutant.is_refused || (outcome != outcomes_.end() && finds(outcome->second));
    for (Count* count : {&counts[{mutant.type, std::string(kind_name(mutant.kind))}], &all}) {
      ++count->mutants;
      count->caught += caught;
      count->refused += mutant.is_refused;
    }
    if (!caught)
      std::fprintf(stderr, "missed: %s, %s, of %s, %.3g tolerances off, %s: %s; %s\n", mutant.type.c_str(), std::string(kind_name(mutant.kind)).c_str(),
                   cases_[mutant.of_case].task.name.c_str(), mutant.error,
                   outcome == outcomes_.end() ? "not measured" : std::string(error_name(outcome->second)).c_str(),
                   mutant.change.c_str(), schedule::trace_to_json(mutant.trace).c_str());
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [name, count] : counts)
    rows.push_back({{"target", options_.target}, {"type", name.first}, {"kind", name.second}, {"mutants", count.mutants},
                    {"caught", count.caught}, {"caught_by_compiler", count.refused}});
  const nlohmann::json result{{"target", options_.target}, {"mutants", all.mutants}, {"caught", all.caught},
                              {"caught_by_compiler", all.refused}, {"equivalent", pool_.equivalent},
                              {"right_kernels", right_}, {"right_refused", right_refused_}, {"rows", rows}};
  std::printf("%s\n", result.dump().c_str());
  return all.caught == all.mutants && right_refused_ == 0 && all.mutants > 0 ? 0 : 1;
}

int main_of(const Options& options) {
  Trial trial(options);
  const Status done = trial.run();
  if (!done.ok()) {
    std::fprintf(stderr, "run_kernel_mutants: %s\n", done.error().message.c_str());
    return 2;
  }
  return trial.report();
}

}  // namespace
}  // namespace hone::kernel_mutants

int main(int argc, char** argv) {
  hone::kernel_mutants::Options options;
  CLI::App app("Has a device measure wrong kernels, and counts those that it finds wrong");
  app.add_option("target", options.target)->required();
  app.add_option("--browser", options.browser);
  app.add_option("--count", options.count)->check(CLI::Range(1, 100000));
  app.add_option("--seed", options.seed);
  app.add_option("--db", options.db, "A database of its own")->required();
  CLI11_PARSE(app, argc, argv);
  hone::log_from(hone::LogLevel::kWarn);
  return hone::kernel_mutants::main_of(options);
}
