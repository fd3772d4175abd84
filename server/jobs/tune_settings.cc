#include "server/jobs/tune_settings.h"

#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "server/agents/limits.h"

namespace hone::server {

namespace {

Error bad(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<tuner::StrategyKind> strategy_of(const nlohmann::json& said) {
  const auto kind = said.is_string() ? tuner::parse_strategy(said.get<std::string>()) : std::nullopt;
  if (kind) return *kind;
  return bad(cat("there is no strategy ", said.dump(), "; there are ", nlohmann::json(tuner::strategy_names()).dump()));
}

Result<int> samples_of(const nlohmann::json& said) {
  if (said.is_number_integer() && said >= 1 && said <= kSamplesMax) return said.get<int>();
  return bad(cat("a candidate takes 1 to ", kSamplesMax, " samples, not ", said.dump()));
}

}  // namespace

Result<TuneSettings> tune_settings(const std::optional<nlohmann::json>& options) {
  TuneSettings settings;
  if (!options) return settings;
  if (!options->is_object()) return bad("the job's options are no object");
  if (const auto said = options->find("strategy"); said != options->end()) {
    HONE_ASSIGN(strategy, strategy_of(*said));
    settings.strategy = strategy;
  }
  if (const auto said = options->find("samples"); said != options->end()) {
    HONE_ASSIGN(samples, samples_of(*said));
    settings.samples = samples;
  }
  return settings;
}

}  // namespace hone::server
