#include "cli/bench_history/changes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/bench_history/example.h"

namespace hone::bench_history {
namespace {

std::vector<Change> found_in(const std::vector<Reading>& readings) {
  const auto changes = changes_of(series_of(readings));
  EXPECT_TRUE(changes.ok()) << changes.error().message;
  return changes.ok() ? *changes : std::vector<Change>{};
}

TEST(Changes, ABuildThatIsSlowerIsASuspicion) {
  // Given fifteen nights before a build that is slower by a tenth and fifteen from it on, in any order, when changes are looked for, then there is one, at that night, by that much, with the two builds.
  std::vector<Reading> readings = slower_from(15, 15);
  for (int turn = 0; turn < 2; ++turn) {
    const auto changes = found_in(readings);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].point.at, 15u);
    EXPECT_NEAR(changes[0].point.change, 0.1, 0.02);
    EXPECT_TRUE(is_suspicion(changes[0]));
    EXPECT_EQ(changes[0].what, "build 14 → build 15");
    EXPECT_EQ(changes[0].from, 0u);
    EXPECT_EQ(changes[0].to, 30u);
    std::reverse(readings.begin(), readings.end());
  }
}

TEST(Changes, TwelveNightsOnEachSideAreNeeded) {
  // Given a slower build with twelve nights on each side, or with eleven on one, one night alone, or none, when changes are looked for, then only the first has one.
  EXPECT_EQ(found_in(slower_from(12, 12)).size(), 1u);
  EXPECT_EQ(found_in(slower_from(11, 12)).size(), 0u);
  EXPECT_EQ(found_in(slower_from(12, 11)).size(), 0u);
  EXPECT_EQ(found_in({night(0, 2)}).size(), 0u);
  EXPECT_EQ(found_in({}).size(), 0u);
}

TEST(Changes, ATimeThatChangesWithAnUpdateIsNotTheBuilds) {
  // Given times that change with the browser, with the driver, or with both, when changes are looked for, then the one there has that cause and both versions, and none is a suspicion.
  struct Update {
    const char *browser, *driver, *what;
    Cause cause;
  };
  for (const Update& update : {Update{"chromium 141", "31.0", "chromium 140 → chromium 141", Cause::kBrowser}, Update{"chromium 140", "32.0", "31.0 → 32.0", Cause::kDriver},
                               Update{"chromium 141", "", "chromium 140 → chromium 141, 31.0 → unknown", Cause::kBrowserAndDriver}}) {
    std::vector<Reading> readings = slower_from(15, 15);
    for (size_t i = 15; i < 30; ++i) readings[i].browser = update.browser, readings[i].driver = update.driver;
    const auto changes = found_in(readings);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].cause, update.cause);
    EXPECT_EQ(changes[0].what, update.what);
    EXPECT_EQ(changes[0].point.finding, stats::Finding::kChanged);
    EXPECT_FALSE(is_suspicion(changes[0]));
  }
}

TEST(Changes, AnUpdateIsToldWhateverItDidToTheTimes) {
  // Given an update that changes no time, and one with too few nights behind it, when changes are looked for, then both are there and say so, and a build's change before them stays one.
  std::vector<Reading> readings = slower_from(15, 30);
  for (size_t i = 30; i < readings.size(); ++i) readings[i].browser = "chromium 141";
  for (size_t i = 43; i < readings.size(); ++i) readings[i].driver = "32.0";
  const auto changes = found_in(readings);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_TRUE(is_suspicion(changes[0]));
  EXPECT_EQ(changes[0].to, 30u) << "beyond the update nothing is compared";
  EXPECT_EQ(changes[1].point.finding, stats::Finding::kUnchanged);
  EXPECT_EQ(changes[2].point.finding, stats::Finding::kTooFewPoints);
}

TEST(Changes, ClassesAreSeriesOfTheirOwn) {
  // Given a build that is slower on one of two classes, and another case, when changes are looked for, then there are three series and one change, which is that class's.
  std::vector<Reading> readings = slower_from(15, 15);
  for (size_t i = 0; i < 30; ++i) {
    readings.push_back(night(i, 9, kPhone));
    readings.push_back(night(i, 5));
    readings.back().case_name = "other";
  }
  const auto series = series_of(readings);
  ASSERT_EQ(series.size(), 3u);
  EXPECT_EQ(series[0].device_id, "") << "one device a night: it stands for its class";
  const auto changes = found_in(readings);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(series[changes[0].series].device_text, "desk");
  EXPECT_EQ(series[changes[0].series].case_name, "mnist");
}

TEST(Changes, EqualDevicesOfOneNightAreToldApart) {
  // Given nights that measure two devices of one class, one of which becomes slower, when changes are looked for, then each device is a series, and the change is that device's.
  std::vector<Reading> readings = slower_from(15, 15);
  for (size_t i = 0; i < 30; ++i) readings.push_back(night(i, 2)), readings.back().device_id = "second", readings.back().started_unix_ms += 500;
  const auto series = series_of(readings);
  ASSERT_EQ(series.size(), 2u);
  const auto changes = found_in(readings);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(series[changes[0].series].device_id, "aaaa");
}

TEST(Changes, ACopyOfANightIsNoNight) {
  // Given eleven nights on each side, each in two files, when changes are looked for, then there is none: a copy proves nothing. Nights that began at once and measured at different moments are two.
  std::vector<Reading> readings = slower_from(11, 11);
  for (size_t i = 0; i < 22; ++i) readings.push_back(readings[i]), readings.back().file += ".copy";
  EXPECT_EQ(series_of(readings).front().readings.size(), 22u);
  EXPECT_EQ(found_in(readings).size(), 0u);
  std::vector<Reading> ties = slower_from(12, 12);
  for (Reading& reading : ties) reading.night_unix_ms = kFirstNight_unix_ms;
  EXPECT_EQ(found_in(ties).size(), 1u) << "ordered by when each was measured";
}

}  // namespace
}  // namespace hone::bench_history
