#include "cli/compare_schedules.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using Json = nlohmann::json;

Json one(const char* name, std::vector<double> rounds_us, Json comparison = {}) {
  Json schedule{{"name", name}, {"source", "0123456789abcdef"}, {"us_median", rounds_us.empty() ? 0 : rounds_us[1]}, {"us_rounds", rounds_us}, {"message", ""}};
  if (!comparison.is_null()) schedule["comparison"] = std::move(comparison);
  return schedule;
}
Json comparison(const char* verdict, double ratio, Json low, Json high, int pairs) {
  return {{"verdict", verdict}, {"ratio", ratio}, {"ratio_low", std::move(low)}, {"ratio_high", std::move(high)}, {"pairs", pairs}};
}

// Given schedules of which one is slower than the first, one the same, one faster, one that is not known, with an interval and without, and one that failed, when printed, then each has its sentence.
TEST(CompareSchedules, EachHasItsVerdict) {
  Json failed = one("bad", {});
  failed["message"] = "the output is wrong";
  const Json result{{"op", "matmul 8x8x8"},
                    {"rounds", 3},
                    {"schedules",
                     {one("best, 3fa0", {10, 11, 12}), one("seed", {20, 22, 24}, comparison("slower", 2, 1.9, 2.1, 30)), one("naive", {10, 10.5, 13}, comparison("same", 1.001, 0.995, 1.004, 120)),
                      one("1d36", {5, 5, 5}, comparison("faster", 0.5, 0.4, 0.6, 30)), one("77aa", {10, 11, 12}, comparison("inconclusive", 1.01, 0.9, 1.1, 120)),
                      one("88bb", {10, 11, 12}, comparison("inconclusive", 1.02, nullptr, nullptr, 0)), failed}}};
  EXPECT_EQ(compare_text(result),
            "matmul 8x8x8, 3 rounds in turns\n"
            "schedule    source       time  fastest round  slowest round\n"
            "best, 3fa0  01234567  11.0 µs        10.0 µs        12.0 µs\n"
            "seed        01234567  22.0 µs        20.0 µs        24.0 µs\n"
            "naive       01234567  10.5 µs        10.0 µs        13.0 µs\n"
            "1d36        01234567  5.00 µs        5.00 µs        5.00 µs\n"
            "77aa        01234567  11.0 µs        10.0 µs        12.0 µs\n"
            "88bb        01234567  11.0 µs        10.0 µs        12.0 µs\n"
            "bad         01234567        -              -              -\n"
            "seed takes 2.00 of the time of best, 3fa0 (1.90 to 2.10, 99 %): it is slower\n"
            "naive takes 1.00 of the time of best, 3fa0 (0.995 to 1.00, 99 %): they differ by less than 1 %\n"
            "1d36 takes 0.500 of the time of best, 3fa0 (0.400 to 0.600, 99 %): it is faster\n"
            "77aa takes 1.01 of the time of best, 3fa0 (0.900 to 1.10, 99 %): after 120 pairs it is not known which is faster\n"
            "88bb takes 1.02 of the time of best, 3fa0: after 0 pairs it is not known which is faster\n"
            "bad has no time: the output is wrong\n");
}

// Given a first schedule that failed, when printed, then nothing is said of the others beside it.
TEST(CompareSchedules, NothingIsComparedWithWhatFailed) {
  Json failed = one("best", {});
  failed["message"] = "the output is wrong";
  const Json result{{"op", "x"}, {"rounds", 3}, {"schedules", {failed, one("seed", {20, 22, 24})}}};
  const std::string text = compare_text(result);
  EXPECT_NE(text.find("best has no time: the output is wrong\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("faster"), std::string::npos) << text;
}

}  // namespace
}  // namespace hone::cli
