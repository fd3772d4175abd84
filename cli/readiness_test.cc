#include "cli/readiness.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

const Error kFull{ErrorCode::kDiskFull, "no space is left on the disk; free some"};

CommitReading after(int seconds, std::optional<Error> failure = std::nullopt) {
  return {.failure = std::move(failure), .ended = CommitMeter::Time(std::chrono::seconds(seconds))};
}

TEST(Readiness, TheLatestCommitDecides) {
  // Given stores that committed nothing yet, or well, when it is asked, then the service is ready; when the latest commit of either failed, then
  // it is not, and says why; when a later one of the other went well, then it is ready again, for both write to one database.
  EXPECT_TRUE(readiness({}).ok());
  EXPECT_TRUE(readiness({.fleet = after(2), .records = after(1)}).ok());
  for (const ReadinessOf& bad : {ReadinessOf{.fleet = after(2, kFull), .records = after(1)},
                                 ReadinessOf{.fleet = after(1), .records = after(2, kFull)}}) {
    const Status ready = readiness(bad);
    ASSERT_FALSE(ready.ok());
    EXPECT_EQ(ready.error().code, ErrorCode::kDiskFull);
    EXPECT_NE(ready.error().message.find(kFull.message), std::string::npos);
  }
  EXPECT_TRUE(readiness({.fleet = after(2, kFull), .records = after(3)}).ok());
}

TEST(Readiness, ACommitThatDoesNotEndIsNoReadiness) {
  // Given a store whose commit began, when it is asked for it at once, then the service is ready; when it has not ended after some seconds, then it is not, and says for how long, also while the
  // other store commits; when it has ended, then it is ready.
  for (CommitReading ReadinessOf::*store : {&ReadinessOf::fleet, &ReadinessOf::records}) {
    ReadinessOf service{.fleet = after(18), .records = after(19)};
    (service.*store).began = CommitMeter::Time(std::chrono::seconds(12));
    service.now = CommitMeter::Time(std::chrono::seconds(13));
    EXPECT_TRUE(readiness(service).ok());
    service.now = CommitMeter::Time(std::chrono::seconds(20));
    const Status ready = readiness(service);
    ASSERT_FALSE(ready.ok());
    EXPECT_EQ(ready.error().code, ErrorCode::kBusy);
    EXPECT_NE(ready.error().message.find("a commit has not ended for 8 s"), std::string::npos) << ready.error().message;
    (service.*store).began.reset();
    EXPECT_TRUE(readiness(service).ok());
  }
}

TEST(Readiness, AServiceThatStopsIsNotReady) {
  // Given a service that stops, when it is asked, then it is not ready, whatever its stores say.
  const Status ready = readiness({.stopping = true, .records = after(1)});
  ASSERT_FALSE(ready.ok());
  EXPECT_EQ(ready.error().code, ErrorCode::kBusy);
}

}  // namespace
}  // namespace hone::cli
