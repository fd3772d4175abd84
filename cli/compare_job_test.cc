// Jobs that compare schedules, by the whole service in this process, with an agent that follows a script.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "cli/relu_model.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

// The first schedule takes 100 µs, the second one `factor` times as long, each scattered by half a hundredth to either side.
struct CompareWorld : World {
  explicit CompareWorld(double factor) {
    add_agent({.measure = [this, factor](const protocol::Candidate& candidate) {
      const double scatter = 0.995 + 0.01 * static_cast<double>(coin.below(1000)) / 1000;
      return std::optional(ScriptedAgent::good_result(100 * scatter * (candidate.trial == 0 ? 1 : factor)));
    }});
  }
  nlohmann::json compare(nlohmann::json options) {
    protocol::JobRequest request{.kind = protocol::JobKind::kCompare, .source = {.model_name = "m.onnx"}, .target = "webgpu", .seed = 1};
    options["schedules"] = {"seed", "naive"};
    request.options = std::move(options);
    submit(request, kReluModel);
    CHECK(run_until([&] { return ended(); }), "the job does not end");
    CHECK(result, failed ? failed->message : "");
    return *result;
  }

  Rng coin{7};
};

TEST(CompareJob, EndsWhenItIsKnown) {
  // Given a second schedule that is half as slow again, a tenth faster, and the same, when both are compared, then the verdict says so, its interval holds the truth, and it is known before the last round.
  for (const auto& [factor, verdict] : {std::pair(1.5, "slower"), {0.9, "faster"}, {1.0, "same"}}) {
    CompareWorld w(factor);
    const nlohmann::json told = w.compare({}), comparison = told["schedules"][1]["comparison"];
    EXPECT_EQ(comparison["verdict"], verdict) << told;
    EXPECT_LT(told["rounds"], 120) << factor;
    EXPECT_LE(comparison["ratio_low"], factor) << comparison;
    EXPECT_GE(comparison["ratio_high"], factor) << comparison;
    EXPECT_FALSE(told["schedules"][0].contains("comparison"));
  }
}

TEST(CompareJob, SaysThatTooFewRoundsTellNothing) {
  // Given a schedule that is half as slow again, when there are four rounds, as was asked for, then it is not known which is faster, and the ratio is told without an interval.
  CompareWorld w(1.5);
  const nlohmann::json told = w.compare({{"rounds", 4}}), comparison = told["schedules"][1]["comparison"];
  EXPECT_EQ(told["rounds"], 4);
  EXPECT_EQ(comparison["verdict"], "inconclusive");
  EXPECT_NEAR(comparison["ratio"].get<double>(), 1.5, 0.05);
  EXPECT_TRUE(comparison["ratio_low"].is_null());
}

}  // namespace
}  // namespace hone::cli
