#include "server/jobs/tune_settings.h"

#include <algorithm>

#include "base/cat.h"
#include "server/jobs/job_options.h"

namespace hone::server {

namespace {

Result<tuner::StrategyKind> strategy_of(const std::string& said) {
  if (const auto kind = tuner::parse_strategy(said)) return *kind;
  std::string names;
  for (const std::string& name : tuner::strategy_names()) names += cat(names.empty() ? "" : ", ", name);
  return Error{ErrorCode::kInvalidArgument, cat("there is no strategy '", said, "'; there are ", names)};
}

}  // namespace

tuner::CacheState cache_of(const protocol::JobRequest& job, const std::optional<protocol::CacheState>& asked) {
  if (asked) return *tuner::parse_cache(protocol::to_name(*asked));
  return job.source.model_name ? tuner::CacheState::kModel : tuner::CacheState::kHot;
}

Result<TuneSettings> tune_settings(const protocol::JobRequest& job) {
  HONE_ASSIGN(options, options_of<protocol::TuneOptions>(job));
  TuneSettings settings;
  if (options.strategy) {
    HONE_ASSIGN(strategy, strategy_of(*options.strategy));
    settings.strategy = strategy;
  }
  settings.cache = cache_of(job, options.cache);
  if (options.samples) settings.samples = static_cast<int>(*options.samples);
  return settings;
}

int64_t model_bytes(const JobTasks& tasks) {
  double constants = 0, activations = 0;
  for (size_t t = 0; t < tasks.tasks.size(); ++t) {
    const te::Task& task = tasks.tasks[t];
    const size_t inputs = task.program.inputs.size();
    double here = 0;
    for (size_t i = 0; i < task.args.size(); ++i) {
      const te::Tensor& tensor = i < inputs ? task.program.inputs[i] : task.program.outputs[i - inputs];
      const double bytes = static_cast<double>(ir::element_count(tensor->shape)) * ir::size_bytes(tensor->dtype);
      if (task.args[i].role == te::Role::kConstant) constants += bytes * tasks.weights[t];
      else here += bytes;
    }
    activations = std::max(activations, here);
  }
  return static_cast<int64_t>(std::min(constants + activations, 1e15));
}

}  // namespace hone::server
