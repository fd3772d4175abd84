#include "tuner/measure/recording.h"

#include <gtest/gtest.h>

#include "tuner/measure/replay_runner.h"

namespace hone::tuner {
namespace {

Recording small() {
  Recording r;
  r.op = "matmul:8x8x8";
  r.space = {{"rows", {"1", "2"}}, {"rows.threads", {"4"}}};
  r.naive = {.outcome = ErrorCode::kOk, .latency_us = 50, .samples = 3, .create_ms = 1};
  r.naive.source = hash_bytes("naive");
  r.add({"00"}, {.outcome = ErrorCode::kOk, .latency_us = 20.25, .samples = 3, .create_ms = 1.5});
  r.add({"10"}, {.outcome = ErrorCode::kTimeout});
  return r;
}

TEST(Recording, SurvivesTheFile) {
  // Given a recording, when it is written and read, then candidates, kernels and their outcomes are the same.
  auto read = Recording::parse(small().to_json());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->to_json(), small().to_json());
  EXPECT_EQ(read->kernels[0].source, small().kernels[0].source);
  EXPECT_EQ(read->kernels[1].outcome, ErrorCode::kTimeout);
  EXPECT_EQ(read->best_us(), 20.25);
}

TEST(Recording, FindsByWholeWordsOnly) {
  // Given decisions of which one's name begins another's, when a sketch is looked up, then each has its own word, whatever stands between.
  Recording r = small();
  EXPECT_EQ(r.choice_of("tile: rows.threads=4 lanes=8 rows=2"), "10");
  EXPECT_EQ(r.find("tile: rows.threads=4 lanes=8 rows=2"), &r.kernels[1]);
  EXPECT_EQ(r.find("tile: rows.threads=4 rows=3"), nullptr);
  EXPECT_EQ(r.find("tile: rows.threads=4"), nullptr);
}

TEST(Recording, RefusesWhatIsNone) {
  // Given texts that are no recordings, when they are parsed, then parse_error names the remedy; a mere declaration is one.
  EXPECT_TRUE(Recording::parse(R"({"op":"matmul:8x8x8","target":"wasm","space":{}})").ok());
  std::string text = small().to_json(), none = text, outcome = text;
  none.replace(none.find("\"00\""), 4, "\"\"");
  outcome.replace(outcome.find("timeout"), 7, "timeoff");
  for (const std::string& bad : {std::string("{"), std::string("[]"), none, outcome}) {
    auto read = Recording::parse(bad);
    ASSERT_FALSE(read.ok()) << bad;
    EXPECT_EQ(read.error().code, ErrorCode::kParseError);
    EXPECT_NE(read.error().message.find("scripts/record_replay"), std::string::npos);
  }
}

TEST(ReplayRunner, AnswersWhatWasMeasured) {
  // Given a recording, when its candidates are built and measured, then outcomes and times are the recorded ones; others are not built.
  Recording r = small();
  ReplayBuilder builder(r);
  ReplayRunner runner(r);
  te::Task task;
  schedule::Trace trace;
  auto measure = [&](const std::string& sketch) {
    trace.sketch = sketch;
    MeasureResult got;
    runner.submit({.trial_id = 7, .source = *builder.build(task, trace)}, [&](MeasureResult result) { got = result; });
    return got;
  };
  EXPECT_EQ(measure("tile: rows=1 rows.threads=4").latency_us_median, 20.25);
  EXPECT_EQ(measure("tile: rows=1 rows.threads=4").samples_us.size(), 3u);
  EXPECT_EQ(measure("tile: rows=2 rows.threads=4").outcome, ErrorCode::kTimeout);
  EXPECT_EQ(measure("naive-v1").latency_us_median, 50);
  trace.sketch = "tile: rows=8 rows.threads=4";
  EXPECT_EQ(builder.build(task, trace).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace hone::tuner
