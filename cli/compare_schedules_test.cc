#include "cli/compare_schedules.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

nlohmann::json one(const char* name, std::vector<double> rounds_us, double low, double middle, double high) {
  return {{"name", name},
          {"source", "0123456789abcdef"},
          {"us_median", rounds_us.empty() ? 0 : rounds_us[1]},
          {"us_rounds", rounds_us},
          {"message", ""},
          {"ratio_low", low},
          {"ratio_median", middle},
          {"ratio_high", high}};
}

// Given schedules of which one was faster in each round, one slower, one now this and now that, and one that failed, when printed, then only what all
// rounds say is said.
TEST(CompareSchedules, OnlyWhatAllRoundsSayIsSaid) {
  nlohmann::json failed = one("bad", {}, 0, 0, 0);
  failed["message"] = "the output is wrong";
  const nlohmann::json result{
      {"op", "matmul 8x8x8"},
      {"rounds", 3},
      {"schedules",
       {one("best, 3fa0", {10, 11, 12}, 1, 1, 1), one("seed", {20, 22, 24}, 1.9, 2, 2.1),
        one("naive", {10, 10.5, 13}, 0.9, 1.01, 1.1), one("1d36", {5, 5, 5}, 0.4, 0.5, 0.6), failed}}};
  EXPECT_EQ(compare_text(result),
            "matmul 8x8x8, 3 rounds in turns\n"
            "schedule    source       time  fastest round  slowest round\n"
            "best, 3fa0  01234567  11.0 µs        10.0 µs        12.0 µs\n"
            "seed        01234567  22.0 µs        20.0 µs        24.0 µs\n"
            "naive       01234567  10.5 µs        10.0 µs        13.0 µs\n"
            "1d36        01234567  5.00 µs        5.00 µs        5.00 µs\n"
            "bad         01234567        -              -              -\n"
            "seed takes 2.00 of the time of best, 3fa0 (1.90 to 2.10 by rounds): it is slower\n"
            "naive takes 1.01 of the time of best, 3fa0 (0.900 to 1.10 by rounds): the rounds do not agree, so no "
            "difference is shown\n"
            "1d36 takes 0.500 of the time of best, 3fa0 (0.400 to 0.600 by rounds): it is faster\n"
            "bad has no time: the output is wrong\n");
}

// Given a first schedule that failed, when printed, then nothing is said of the others beside it.
TEST(CompareSchedules, NothingIsComparedWithWhatFailed) {
  nlohmann::json failed = one("best", {}, 0, 0, 0);
  failed["message"] = "the output is wrong";
  const nlohmann::json result{{"op", "x"}, {"rounds", 3}, {"schedules", {failed, one("seed", {20, 22, 24}, 0, 0, 0)}}};
  const std::string text = compare_text(result);
  EXPECT_NE(text.find("best has no time: the output is wrong\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("faster"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone::cli
