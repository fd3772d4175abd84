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
                              {"trials", 24},
                              {"trials_new", 20},
                              {"trials_per_second", 2.0},
                              {"wall_s", 12.0},
                              {"stopped_because", "the time limit of 12 s was reached"}};
  EXPECT_EQ(tune_report_text(result),
            "task      uses  trials  errors    naive     seed     best  GFLOP/s  naive/best\n"
            "conv 1x4     2      12       3  80.0 ms  20.0 ms  10.0 ms     1.50       8.00×\n"
            "gemm 2x2     2      12       3   500 µs   500 µs   250 µs     1.50       2.00×\n"
            "\nthe kernels of the whole model, each times its uses: naive 161 ms, seed 41.0 ms, best 20.5 ms; the best is 7.85× as fast "
            "as naive and 2.00× as fast as the seed\n"
            "24 trials, 20 of them new, 2.00 per second, 12 s\nerrors: wrong_output 6; hone records list says why\nthe time limit of 12 s was reached\n");
  EXPECT_EQ(tasks_without_time(result), "");
}

TEST(TuneReport, WhatTheTimeDidNotReachIsNamed) {
  // Given a result in which one task was not measured and the yardstick of another is an estimate, when printed, then the rows say so, the
  // sums are those of what was measured, and the task that had no turn is no failure.
  nlohmann::json estimated = task("conv 1x4", 80, 10), waiting = task("gemm 2x2", 0, 0);
  estimated["naive_estimated"] = true;
  waiting["trials"] = 0;
  waiting["errors"] = nlohmann::json::object();
  const nlohmann::json result{{"tasks", {estimated, waiting}}};
  const std::string text = tune_report_text(result);
  EXPECT_NE(text.find("conv 1x4     2      12       3  ~80.0 ms       20.0 ms  10.0 ms     1.50       8.00×\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("gemm 2x2     2       0       0         -  not measured        -     1.50           -\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nthe kernels of 1 of 2 tasks, each times its uses: naive 160 ms, seed 40.0 ms, best 20.0 ms;"), std::string::npos)
      << text;
  EXPECT_EQ(tasks_without_time(result), "");
}

TEST(TuneReport, ManyTasksThatWereNotMeasuredAreCounted) {
  // Given a measured task without a naive time and eleven that had no turn, when printed, then the eleven have one line, and the dash is explained.
  nlohmann::json waiting = task("gemm 2x2", 0, 0), measured = task("conv 1x4", 0, 10);
  waiting["trials"] = 0;
  waiting["errors"] = nlohmann::json::object();
  nlohmann::json tasks = nlohmann::json::array({measured});
  for (int i = 0; i < 11; ++i) tasks.push_back(waiting);
  const std::string text = tune_report_text({{"tasks", tasks}});
  EXPECT_NE(text.find("\n11 more tasks: not measured, they keep their seeds\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("gemm"), std::string::npos) << text;
  EXPECT_NE(naive_hint({{"tasks", tasks}}), "");
  EXPECT_EQ(naive_hint({{"tasks", {task("conv 1x4", 80, 10)}}}), "");
}

TEST(TuneReport, TasksOfOneNameAreToldApart) {
  // Given two tasks of one name and one of another, when printed, then the two have the beginnings of their ids.
  nlohmann::json first = task("transpose 4x2", 80, 10), second = first;
  first["id"] = "3fa2000000000000", second["id"] = "91c7000000000000";
  const std::string text = tune_report_text({{"tasks", {first, second, task("gemm 2x2", 2, 1)}}});
  EXPECT_NE(text.find("transpose 4x2 [3fa2] "), std::string::npos) << text;
  EXPECT_NE(text.find("transpose 4x2 [91c7] "), std::string::npos) << text;
  EXPECT_NE(text.find("gemm 2x2 "), std::string::npos) << text;
  EXPECT_EQ(text.find("gemm 2x2 ["), std::string::npos) << text;
}

TEST(TuneReport, ATaskWithoutATimeIsNamed) {
  // Given a task of which every candidate failed and one for which the device has no schedule, when asked, then each is named with the reason.
  nlohmann::json refused = task("conv 9x9", 0, 0);
  refused["refusal"] = "too wide for this device";
  const nlohmann::json result{{"tasks", {task("conv 1x4", 80, 10), task("gemm 2x2", 0, 0), refused}}};
  EXPECT_EQ(tasks_without_time(result),
            "no time was found for: gemm 2x2 (40 pruned_limit_exceeded, 3 wrong_output, 12 trials); conv 9x9 (too wide for this "
            "device); hone records list says why each trial failed");
}

}  // namespace
}  // namespace hone::cli
