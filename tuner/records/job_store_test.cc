#include "tuner/records/job_store.h"

#include <gtest/gtest.h>

#include <future>

#include "tuner/records/either_store.h"

namespace hone::tuner {
namespace {

Submission job(int64_t place, const std::string& user = "ann") {
  return {.id = cat("tune-", place), .place = place, .user = user, .kind = "tune", .source = "matmul:1x1x1", .target = "webgpu", .priority = -1, .detached = true,
          .request_json = R"({"a":"'; DROP TABLE submissions; --"})", .model_sha256 = "ff", .state = "queued", .starts = 1, .spent_s = 1.5, .submitted_unix_ms = 5};
}

struct Jobs {
  explicit Jobs(const std::string& where, const std::string& server = "", int64_t pages_max = 0) : store(std::move(open_job_store(where, server, pages_max)).value()) {}
  Status put(Submission submission) {
    std::promise<Status> done;
    store->put(std::move(submission), [&done](Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
  Status end(Submission submission, int64_t ended_unix_ms) {
    submission.state = "failed";
    submission.outcome = ErrorCode::kDeviceLost;
    submission.message = "gone";
    submission.ended_unix_ms = ended_unix_ms;
    return put(std::move(submission));
  }
  std::vector<Submission> list(std::optional<std::string> user, int64_t before = 0, size_t count_max = 1000) {
    std::promise<std::vector<Submission>> told;
    store->list(std::move(user), before, count_max, [&told](Result<std::vector<Submission>> rows) { told.set_value(std::move(rows).value()); });
    return told.get_future().get();
  }
  std::unique_ptr<JobStore> store;
};

class JobStoreTest : public EitherStore {
 protected:
  const std::unique_ptr<RecordStore> records_ = open();  // brings the database to the newest schema
};
INSTANTIATE_BOTH(JobStoreTest);

constexpr int64_t kNow = 4'000'000'000'000;  // later than any clock of now says: nothing is too old

TEST_P(JobStoreTest, WhatIsPutIsThereForTheNextOne) {
  // Given jobs that were put, replaced and ended, when the store is opened anew, then those that are open come in their order with all that was said of them, and the next place is behind all.
  Jobs w(path());
  ASSERT_TRUE(w.put(job(2)).ok());
  ASSERT_TRUE(w.put(job(1)).ok());
  ASSERT_TRUE(w.end(job(3), kNow).ok());
  Submission again = job(1);
  again.state = "running";
  again.starts = 2;
  ASSERT_TRUE(w.put(again).ok());
  w.store.reset();
  w.store = std::move(open_job_store(path())).value();
  const JobStore::Loaded loaded = w.store->load().value();
  EXPECT_EQ(loaded.next_place, 4);
  ASSERT_EQ(loaded.open.size(), 2u);
  EXPECT_EQ(loaded.open[0].id, "tune-1");
  EXPECT_EQ(loaded.open[0].state, "running");
  EXPECT_EQ(loaded.open[0].starts, 2);
  EXPECT_EQ(loaded.open[1].request_json, job(2).request_json);
  EXPECT_EQ(loaded.open[1].spent_s, 1.5);
  EXPECT_EQ(loaded.open[1].priority, -1);
  EXPECT_EQ(loaded.open[1].outcome, std::nullopt);
  EXPECT_EQ(w.list(std::nullopt)[0].outcome, ErrorCode::kDeviceLost);
}

TEST_P(JobStoreTest, ListsComeByUserAndPage) {
  // Given jobs of two users, when they are listed, then the latest come first, those of the user that is asked for alone, and page by page; a name that is SQL is a name.
  Jobs w(path());
  for (int64_t place = 1; place <= 5; ++place) ASSERT_TRUE(w.put(job(place, place % 2 ? "ann" : "' OR '1'='1")).ok());
  EXPECT_EQ(w.list(std::nullopt).size(), 5u);
  EXPECT_EQ(w.list("' OR '1'='1").size(), 2u);
  EXPECT_EQ(w.list("%").size(), 0u);
  const auto page = w.list("ann", 0, 2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].place, 5);
  ASSERT_EQ(w.list("ann", page[1].place, 2).size(), 1u);
  EXPECT_EQ(w.list("ann", page[1].place, 2)[0].place, 1);
}

TEST_P(JobStoreTest, OfEndedJobsTheLatestStay) {
  // Given more ended jobs of a user than are kept, and one that ended long ago, when another ends, then the oldest go; open ones and other users' stay.
  Jobs w(path());
  ASSERT_TRUE(w.put(job(1)).ok());
  ASSERT_TRUE(w.end(job(2, "bob"), kNow).ok());
  ASSERT_TRUE(w.end(job(3, "eve"), 1).ok());
  for (int64_t place = 4; place < 4 + kEndedSubmissionsKept + 3; ++place) w.store->put(job(place), nullptr);
  for (int64_t place = 4; place < 4 + kEndedSubmissionsKept + 3; ++place) ASSERT_TRUE(w.end(job(place), kNow).ok());
  const auto anns = w.list("ann");
  ASSERT_EQ(anns.size(), static_cast<size_t>(kEndedSubmissionsKept) + 1);
  EXPECT_EQ(anns.back().place, 1);
  EXPECT_EQ(anns[anns.size() - 2].place, 7);
  EXPECT_EQ(w.list("bob").size(), 1u);
  EXPECT_EQ(w.list("eve").size(), 0u);
}

TEST(JobStoreInAFile, AFullDiskIsSaidAndHarmsNothing) {
  // Given a database that may not grow, when jobs are put until it is full, then the next one is disk_full, and what was acknowledged is there.
  const StoreFolder folder;
  folder.open();
  Jobs w(folder.path(), "", 40);
  Submission large = job(1);
  large.request_json = std::string(16 << 10, 'x');
  int64_t stored = 0;
  Status status = ok_status();
  while (status.ok() && stored < 1000) {
    large.place = stored + 1;
    large.id = cat("tune-", large.place);
    status = w.put(large);
    stored += status.ok();
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kDiskFull) << status.error().message;
  EXPECT_EQ(w.list(std::nullopt).size(), static_cast<size_t>(stored));
}

TEST_P(JobStoreTest, EachServerHasItsOwn) {
  // Given two servers that share a database, when each puts a job and one that has ended, in PostgreSQL with the same places, then each lists, finds and loads its own alone.
  Jobs a(path(), "a"), b(path(), "b");
  const int64_t apart = GetParam() == sql::Kind::kPostgres ? 0 : 10;
  Submission of_b = job(1 + apart), ended_of_b = job(2 + apart);
  of_b.id = "tune-b", ended_of_b.id = "tune-b-2";
  ASSERT_TRUE(a.put(job(1)).ok());
  ASSERT_TRUE(b.put(of_b).ok());
  ASSERT_TRUE(a.end(job(2), kNow).ok());
  ASSERT_TRUE(b.end(ended_of_b, kNow).ok());
  EXPECT_EQ(a.list(std::nullopt).size(), 2u);
  EXPECT_EQ(b.list("ann")[1].id, "tune-b");
  const JobStore::Loaded loaded = b.store->load().value();
  ASSERT_EQ(loaded.open.size(), 1u);
  EXPECT_EQ(loaded.open[0].id, "tune-b");
  EXPECT_EQ(loaded.next_place, 3 + apart);
}

TEST_P(JobStoreTest, AResultThatIsTooLongIsNotKept) {
  // Given a job whose result is longer than what is kept, when it ends, then all but the result is there.
  Jobs w(path());
  Submission done = job(1);
  done.result_json = std::string(kResultBytesKept + 1, ' ');
  ASSERT_TRUE(w.end(done, kNow).ok());
  EXPECT_EQ(w.list("ann")[0].result_json, "");
  EXPECT_EQ(w.list("ann")[0].message, "gone");
}

}  // namespace
}  // namespace hone::tuner
