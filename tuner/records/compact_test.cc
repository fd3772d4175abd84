#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/sql/checkpointer.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {
namespace {

class CompactTest : public testing::Test, protected StoreFolder {
 protected:
  static constexpr uint64_t kMany = 3'000;
  // Trials of some kilobytes each.
  static void fill(RecordStore& store) {
    for (uint64_t source = 0; source < kMany; ++source) {
      Record r = record(source, 10);
      r.features.assign(1000, static_cast<float>(source));
      r.feature_version = 1;
      store.insert(std::move(r));
    }
    EXPECT_TRUE(store.flush().ok());
  }
  uintmax_t bytes() const { return std::filesystem::file_size(path()); }
  int64_t auto_vacuum() const {
    auto db = sql::SqliteDb::open(path());
    auto select = db->prepare("PRAGMA auto_vacuum");
    select->step();
    return select->integer(0);
  }
};

TEST_F(CompactTest, GivesBackTheSpaceOfWhatIsForgotten) {
  // Given a store of 3,000 trials, when all are forgotten and it is compacted and closed, then its file has less than a tenth of the bytes.
  {
    auto store = open();
    fill(*store);
  }
  const uintmax_t before = bytes();
  {
    auto store = open();
    EXPECT_EQ(store->forget({.task_id = kTask})->attempts, static_cast<int64_t>(kMany));
    EXPECT_TRUE(store->compact().ok());
  }
  EXPECT_LT(bytes(), before / 10);
}

TEST_F(CompactTest, ADatabaseOfAnOlderHoneIsMadeOneThatShrinks) {
  // Given a database whose free pages cannot be given back one by one, when it is compacted, then they can, and its records are there.
  open();
  {
    auto db = sql::SqliteDb::open(path());
    ASSERT_TRUE(db->execute("PRAGMA auto_vacuum=NONE; VACUUM").ok());
  }
  ASSERT_EQ(auto_vacuum(), 0);
  auto store = open();
  store->insert(record(1, 10));
  EXPECT_TRUE(store->compact().ok());
  EXPECT_EQ(auto_vacuum(), 2);
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 1u);
}

TEST_F(CompactTest, RecordsAreAcknowledgedMeanwhile) {
  // Given a store with much to forget, when another process forgets and compacts it, then records that come meanwhile are acknowledged before it is done.
  auto service = open();
  fill(*service);
  std::atomic<bool> done{false};
  std::thread gardener([&] {
    auto person = open();
    const auto forgotten = person->forget({.task_id = kTask});
    EXPECT_TRUE(forgotten.ok()) << forgotten.error().message;
    EXPECT_TRUE(person->compact().ok());
    done = true;
  });
  int meanwhile = 0;
  for (uint64_t source = kMany; !done; ++source) {
    service->insert(record(source, 10));
    EXPECT_TRUE(service->flush().ok());
    meanwhile += !done;
  }
  gardener.join();
  EXPECT_GT(meanwhile, 0);
}

TEST_F(CompactTest, TheLogIsMovedBesideTheWriter) {
  // Given a writer and a checkpointer, when the log has more pages than it may, then the checkpointer moves them, and the next commit begins the log anew.
  auto db = sql::SqliteDb::open(path());
  ASSERT_TRUE(db->execute("CREATE TABLE t (bytes BLOB)").ok());
  sql::Checkpointer checkpointer(path());
  int pages = 0;
  std::function<void(int)> on_commit = [&](int now) { checkpointer.log_has(pages = now); };
  db->on_commit(&on_commit);
  ASSERT_TRUE(db->execute(cat("INSERT INTO t VALUES (zeroblob(", 5'000 * 4'096, "))")).ok());
  ASSERT_GT(pages, sql::kLogPages);
  while (!checkpointer.take_rest()) std::this_thread::yield();
  const sql::LogState log = db->checkpoint();
  EXPECT_EQ(log.moved, log.pages);
  ASSERT_TRUE(db->execute("INSERT INTO t VALUES (1)").ok());
  EXPECT_LT(pages, 10);
}

}  // namespace
}  // namespace hone::tuner
