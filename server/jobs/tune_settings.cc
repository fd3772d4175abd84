#include "server/jobs/tune_settings.h"

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

Result<TuneSettings> tune_settings(const protocol::JobRequest& job) {
  HONE_ASSIGN(options, options_of<protocol::TuneOptions>(job));
  TuneSettings settings;
  if (options.strategy) {
    HONE_ASSIGN(strategy, strategy_of(*options.strategy));
    settings.strategy = strategy;
  }
  if (options.samples) settings.samples = static_cast<int>(*options.samples);
  return settings;
}

}  // namespace hone::server
