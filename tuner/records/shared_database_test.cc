// Another process uses the database: it holds the lock of writers, as an import does, or reads for long, as a backup does.
#include <gtest/gtest.h>

#include <future>

#include "tuner/records/batch_writer.h"
#include "base/sql/sqlite_db.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {
namespace {

class SharedDatabase : public testing::Test, protected StoreFolder {
 protected:
  static std::future<Status> insert(RecordStore& store, uint64_t source) {
    auto told = std::make_shared<std::promise<Status>>();
    store.insert(record(source, 10), [told](const Status& status) { told->set_value(status); });
    return told->get_future();
  }
  static Status add(BatchWriter& writer, int bytes) {
    return writer.run([bytes] { return Statements{.commands = {{"INSERT INTO rows VALUES (zeroblob($1))", {int64_t{bytes}}}}}; });
  }
  static int64_t count(sql::SqliteDb& db) {
    sql::SqliteStatement rows = db.prepare("SELECT count(*) FROM rows").value();
    rows.step();
    return rows.integer(0);
  }
  int64_t log_bytes() const { return static_cast<int64_t>(std::filesystem::file_size(path() + "-wal")); }
};

TEST_F(SharedDatabase, WhatComesWhileItIsLockedForTooLongIsRefusedAndTheStoreGoesOn) {
  // Given a store that waits a moment for the lock, when another process has it for longer, then a record is refused, and the sentence says why; when the lock is gone, then the record is taken.
  open();
  const auto store = open_record_store({.where = path(), .busy_wait = std::chrono::milliseconds(20)}).value();
  sql::SqliteDb other = sql::SqliteDb::open(path()).value();
  ASSERT_TRUE(other.execute("BEGIN IMMEDIATE").ok());
  const Status refused = insert(*store, 1).get();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBusy);
  EXPECT_NE(refused.error().message.find("is locked by another process"), std::string::npos);
  ASSERT_TRUE(other.execute("ROLLBACK").ok());
  EXPECT_TRUE(insert(*store, 1).get().ok());
}

TEST_F(SharedDatabase, AnAcknowledgementWaitsForTheLock) {
  // Given a store that waits for long, when a record comes while another process has the lock, then it is not acknowledged, and the store says since when it waits; when the lock is gone, then it is.
  open();
  const auto store = open_record_store({.where = path(), .busy_wait = std::chrono::hours(1)}).value();
  sql::SqliteDb other = sql::SqliteDb::open(path()).value();
  ASSERT_TRUE(other.execute("BEGIN IMMEDIATE").ok());
  auto told = insert(*store, 2);
  while (!store->commits().began) std::this_thread::yield();
  EXPECT_EQ(told.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  ASSERT_TRUE(other.execute("ROLLBACK").ok());
  EXPECT_TRUE(told.get().ok());
  EXPECT_FALSE(store->commits().began);
}

TEST_F(SharedDatabase, ALongReaderCostsTheLogsSpaceAndNoAcknowledgement) {
  // Given a reader that has begun, when more is committed than a log is to keep, then all is acknowledged, and the reader sees what was there when it began; when it ends, then the next commits
  // move the log, and give its space back.
  sql::SqliteDb reader = sql::SqliteDb::open(path()).value();
  ASSERT_TRUE(reader.execute("CREATE TABLE rows (filler BLOB)").ok());
  BatchWriter writer(sql::open_database(path(), {.busy = true}).value(), {});
  ASSERT_TRUE(add(writer, 10).ok());
  ASSERT_TRUE(reader.execute("BEGIN").ok());
  EXPECT_EQ(count(reader), 1);
  constexpr int kPiece = 4 << 20;
  for (int64_t bytes = 0; bytes <= sql::kLogBytesKept; bytes += kPiece) ASSERT_TRUE(add(writer, kPiece).ok());
  EXPECT_EQ(count(reader), 1);
  EXPECT_GT(log_bytes(), sql::kLogBytesKept) << "the control: it could not begin anew";
  ASSERT_TRUE(reader.execute("ROLLBACK").ok());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (log_bytes() > sql::kLogBytesKept && std::chrono::steady_clock::now() < until) ASSERT_TRUE(add(writer, 10).ok());
  EXPECT_LE(log_bytes(), sql::kLogBytesKept);
  EXPECT_GT(count(reader), sql::kLogBytesKept / kPiece);
}

}  // namespace
}  // namespace hone::tuner
