#include "server/jobs/tune_settings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::server {
namespace {

using nlohmann::json;

TEST(TuneSettings, AreAsUsualWhereNothingIsSaid) {
  // Given requests without options, and with none that tuning knows, when they are read, then the search is the usual one.
  for (const std::optional<json>& options : {std::optional<json>(), std::optional<json>(json{{"check", true}})}) {
    auto settings = tune_settings(options);
    ASSERT_TRUE(settings.ok());
    EXPECT_EQ(settings->strategy, tuner::StrategyKind::kEvolutionary);
    EXPECT_EQ(settings->samples, 3);
  }
}

TEST(TuneSettings, AreWhatARequestSays) {
  // Given a strategy and a number of samples, when they are read, then they are taken.
  auto settings = tune_settings(json{{"strategy", "annealing"}, {"samples", 9}});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->strategy, tuner::StrategyKind::kAnnealing);
  EXPECT_EQ(settings->samples, 9);
}

TEST(TuneSettings, WhatIsWrongIsRefusedInOneSentence) {
  // Given options that cannot be, when they are read, then the answer names what was found and what there is.
  const auto message = [](const json& options) { return tune_settings(options).error().message; };
  EXPECT_NE(message({{"strategy", "magic"}}).find("no strategy \"magic\"; there are [\"evolutionary\""),
            std::string::npos);
  EXPECT_NE(message({{"strategy", 3}}).find("no strategy 3"), std::string::npos);
  for (const json& samples : {json(0), json(65), json(-1), json(2.5), json("3")})
    EXPECT_NE(message({{"samples", samples}}).find("1 to 64 samples, not " + samples.dump()), std::string::npos);
  EXPECT_EQ(message(json::array()), "the job's options are no object");
}

}  // namespace
}  // namespace hone::server
