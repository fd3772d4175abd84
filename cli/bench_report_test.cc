#include "cli/bench_report.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

nlohmann::json variant(const char* schedule, double ms) {
  const bool ran = ms > 0;
  return {{"schedule", schedule},
          {"skipped", nullptr},
          {"trials", 640},
          {"schedules", {{"tuned", 12}, {"seed", 4}, {"naive", 2}}},
          {"run_ms", ran ? std::vector<double>{ms, ms, ms} : std::vector<double>{}},
          {"model_ms_median", ms},
          {"model_ms_p10", ms * 0.9},
          {"model_ms_p90", ms * 1.1},
          {"kernel_ms_median", ran ? nlohmann::json(ms / 2) : nullptr},
          {"host_share", ran ? nlohmann::json(0.5) : nullptr},
          {"tasks", nullptr}};
}

nlohmann::json result_of(std::vector<nlohmann::json> variants) { return {{"variants", std::move(variants)}}; }

TEST(BenchReport, TheKindsStandSideBySide) {
  // Given a model that was timed with all schedules, when printed, then each has its line, from the plain one to the best, and what they are to
  // each other and how many tasks are tuned stands below.
  const auto result = result_of({variant("best", 0.5), variant("seed", 1), variant("naive", 2000)});
  EXPECT_EQ(bench_report_text(result),
            "schedule  runs   median    10 %     90 %  kernels    host\n"
            "naive        3   2.00 s  1.80 s   2.20 s   1.00 s  50.0 %\n"
            "seed         3  1.00 ms  900 µs  1.10 ms   500 µs  50.0 %\n"
            "best         3   500 µs  450 µs   550 µs   250 µs  50.0 %\n"
            "\nbest is 2.00× as fast as seed and 4000× as fast as naive\n"
            "12 of 18 tasks are tuned, by 640 trials; 4 have their seed, 2 the plain schedule\n");
  EXPECT_EQ(with_ratios(result)["seed_over_best"], 2);
}

TEST(BenchReport, WhatIsLeftOutIsSaid) {
  // Given a plain schedule that was left out and no tuned task, when printed, then its line is empty with the reason below, and there is no ratio
  // to it.
  auto naive = variant("naive", 0), best = variant("best", 1);
  naive["skipped"] = "one run takes about 12.0 s";
  best["schedules"] = {{"tuned", 0}, {"seed", 1}, {"naive", 0}};
  const auto result = result_of({best, naive});
  const std::string text = bench_report_text(result);
  EXPECT_NE(text.find("\nnaive        0        -"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnaive: one run takes about 12.0 s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnone of 1 tasks is tuned; 1 has its seed\n"), std::string::npos) << text;
  EXPECT_EQ(with_ratios(result)["naive_over_best"], nullptr);
  EXPECT_EQ(with_ratios(result)["seed_over_best"], nullptr);
}

TEST(BenchReport, TheSeedIsNotComparedWithItself) {
  // Given no tuned task, when best and seed were timed, then they are the same kernels, and there is no ratio between them.
  auto best = variant("best", 1);
  best["schedules"] = {{"tuned", 0}, {"seed", 1}, {"naive", 0}};
  const auto result = result_of({best, variant("seed", 2), variant("naive", 4)});
  EXPECT_NE(bench_report_text(result).find("\nbest is 4.00× as fast as naive\n"), std::string::npos) << bench_report_text(result);
  EXPECT_EQ(with_ratios(result)["seed_over_best"], nullptr);
}

TEST(BenchReport, TasksAreToldWithWhereTheirTimesComeFrom) {
  // Given the times of tasks, when printed, then each has its line, and whether the device or the records gave them is said.
  auto best = variant("best", 1);
  best["tasks"] = {{{"op", "gemm 2x2"},
                    {"schedule", "tuned"},
                    {"uses", 3},
                    {"launches", 2},
                    {"us", 0.0418},
                    {"share", 0.75},
                    {"measured", true}},
                   {{"op", "add 2"},
                    {"schedule", "naive"},
                    {"uses", 1},
                    {"launches", 1},
                    {"us", 0},
                    {"share", 0},
                    {"measured", true}}};
  const std::string text = bench_report_text(result_of({best}));
  EXPECT_NE(text.find("gemm 2x2  tuned        3         6  41.8 ns  75.0 %\n"
                      "add 2     naive        1         1        -       -\n"
                      "best schedules; each launch alone and warm, by the device's clock\n"),
            std::string::npos)
      << text;
  best["tasks"][0]["measured"] = false;
  EXPECT_NE(bench_report_text(result_of({best})).find("the times are those of the records"), std::string::npos);
}

}  // namespace
}  // namespace hone::cli
