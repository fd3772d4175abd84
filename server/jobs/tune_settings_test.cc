#include "server/jobs/tune_settings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::server {
namespace {

using nlohmann::json;

Result<TuneSettings> settings_of(std::optional<json> options) {
  protocol::JobRequest job;
  job.options = std::move(options);
  return tune_settings(job);
}

TEST(TuneSettings, AreAsUsualWhereNothingIsSaid) {
  // Given requests without options, and with none that tuning knows, when they are read, then the search is the usual one.
  for (const std::optional<json>& options : {std::optional<json>(), std::optional<json>(json{{"check", true}})}) {
    auto settings = settings_of(options);
    ASSERT_TRUE(settings.ok());
    EXPECT_EQ(settings->strategy, tuner::StrategyKind::kEvolutionary);
    EXPECT_EQ(settings->samples, 3);
  }
}

TEST(TuneSettings, AreWhatARequestSays) {
  // Given a strategy and a number of samples, when they are read, then they are taken.
  auto settings = settings_of(json{{"strategy", "annealing"}, {"samples", 9}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->strategy, tuner::StrategyKind::kAnnealing);
  EXPECT_EQ(settings->samples, 9);
}

TEST(TuneSettings, CachesAreAsInAModelForItsTasksAndHotForAnOperator) {
  // Given jobs of a model and of an operator, on buffers and on textures, when settings are read, then the state of the caches is what each sees
  // unless the request says another one.
  const auto cache_of = [](bool model, const char* target, std::optional<json> options) {
    protocol::JobRequest job;
    job.target = target;
    if (model) job.source.model_name = "a.onnx";
    job.options = std::move(options);
    return tuner::cache_name(tune_settings(job)->cache);
  };
  EXPECT_EQ(cache_of(true, "wasm", std::nullopt), "model");
  EXPECT_EQ(cache_of(false, "wasm", std::nullopt), "hot");
  EXPECT_EQ(cache_of(true, "webgpu", json{{"cache", "hot"}}), "hot");
  EXPECT_EQ(cache_of(false, "webgpu", json{{"cache", "cold"}}), "cold");
  EXPECT_EQ(cache_of(true, "webgl", json{{"cache", "cold"}}), "cold");
  EXPECT_EQ(cache_of(true, "opengl", std::nullopt), "model");
}

TEST(TuneSettings, WhatIsWrongIsRefusedInOneSentence) {
  // Given options that cannot be, when they are read, then the answer names what was found and what there is.
  const auto message = [](const json& options) { return settings_of(options).error().message; };
  EXPECT_NE(message({{"strategy", "magic"}}).find("no strategy 'magic'; there are evolutionary"), std::string::npos);
  EXPECT_NE(message({{"strategy", 3}}).find(".strategy: expected a string, found number"), std::string::npos);
  for (const json& samples : {json(0), json(65), json(-1), json(2.5)})
    EXPECT_NE(message({{"samples", samples}}).find(".samples: expected a whole number from 1 to 64"),
              std::string::npos);
  EXPECT_NE(message({{"samples", "3"}}).find(".samples"), std::string::npos);
  EXPECT_NE(message(json::array()).find("expected an object, found array"), std::string::npos);
}

}  // namespace
}  // namespace hone::server
