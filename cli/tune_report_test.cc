#include "cli/tune_report.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

nlohmann::json task(const char* op, double naive_ms, double best_ms) {
  return {{"op", op},
          {"weight", 2},
          {"trials", 12},
          {"errors", {{"wrong_output", 3}, {"pruned_limit_exceeded", 40}}},
          {"naive_ms", naive_ms},
          {"seed_ms", best_ms * 2},
          {"best_ms", best_ms},
          {"gflops", 1.5}};
}

TEST(TuneReport, TheTableHasEachTaskAndTheSums) {
  // Given the result of a tuned model, when printed, then each task has its line with trials, failed candidates and speed-up, and the sums
  // and what ended the run stand below.
  const nlohmann::json result{{"tasks", {task("conv 1x4", 80, 10), task("gemm 2x2", 0.5, 0.25)}},
                              {"model_ms_naive", 161.0},
                              {"model_ms_before", 41.0},
                              {"model_ms_after", 20.5},
                              {"trials", 24},
                              {"trials_per_second", 2.0},
                              {"wall_s", 12.0},
                              {"stopped_because", "the time of 12 s was over"}};
  EXPECT_EQ(tune_report_text(result),
            "task      uses  trials  errors  naive ms  seed ms  best ms  GFLOP/s  naive/best\n"
            "conv 1x4     2      12       3      80.0     20.0     10.0     1.50       8.00×\n"
            "gemm 2x2     2      12       3     0.500    0.500    0.250     1.50       2.00×\n"
            "\nall tasks, with their uses: naive 161 ms, untuned 41.0 ms, tuned 20.5 ms: 7.85× faster than naive, "
            "2.00× than untuned\n"
            "24 trials, 2.00 per second, 12 s\nthe time of 12 s was over\n");
  EXPECT_EQ(tasks_without_time(result), "");
}

TEST(TuneReport, ATaskWithoutATimeIsNamed) {
  // Given a task of which every candidate failed, when asked, then it is named with what its candidates ended as.
  const nlohmann::json result{{"tasks", {task("conv 1x4", 80, 10), task("gemm 2x2", 0, 0)}}};
  EXPECT_EQ(tasks_without_time(result),
            "no candidate got a time: gemm 2x2 (40 pruned_limit_exceeded, 3 wrong_output, 12 trials); hone records "
            "list says why each failed");
}

}  // namespace
}  // namespace hone::cli
