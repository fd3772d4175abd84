#include "base/sql/combining_vfs.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/rng.h"
#include "base/sql/sqlite_db.h"
#include "base/sql/scratch_database.h"

namespace hone::sql {
namespace {

class CombiningVfs : public testing::Test {
 protected:
  const ScratchDatabase scratch_{Kind::kSqlite};
  // A connection whose cache is so small that it writes to the log in the middle of transactions.
  SqliteDb connect(const char* vfs = combining_vfs()) const {
    SqliteDb db = SqliteDb::open(scratch_.where(), vfs).value();
    CHECK(db.execute("PRAGMA cache_size=10; PRAGMA cache_spill=ON").ok(), "the cache is set");
    return db;
  }
  static std::string text_of(SqliteDb& db, const std::string& sql) {
    auto select = db.prepare(sql);
    if (!select.ok()) return select.error().message;
    const int code = select->step();
    return code == SQLITE_ROW ? select->text(0) : db.error(code).message;
  }
  // Adds rows of 2 KB under its own name, gives up a third of its transactions, and moves the log now and then. How many rows it added for good.
  int work(const std::string& name, uint64_t seed, const char* vfs) const {
    SqliteDb db = connect(vfs);
    Rng rng(seed);
    int added = 0;
    for (int turn = 0; turn < 150; ++turn) {
      EXPECT_TRUE(db.execute("BEGIN IMMEDIATE").ok());
      const int rows = static_cast<int>(rng.below(60));
      for (int i = 0; i < rows; ++i) EXPECT_TRUE(db.execute(cat("INSERT INTO rows VALUES ('", name, "', ", rng.below(1 << 30), ", zeroblob(2000))")).ok());
      const bool keeps = rng.below(3) != 0;
      EXPECT_TRUE(db.execute(keeps ? "COMMIT" : "ROLLBACK").ok());
      added += keeps ? rows : 0;
      if (rng.below(5) == 0) db.checkpoint();
    }
    return added;
  }
};

TEST_F(CombiningVfs, WritersThatSpillGiveUpAndMoveTheLogDoNotDisturbEachOther) {
  // Given three connections that write in turns, one of them without the VFS, with caches that overflow and transactions that are given up, when they are done, then the database is
  // whole, and has the rows of each that it kept.
  SqliteDb db = connect();
  ASSERT_TRUE(db.execute("CREATE TABLE rows (name TEXT, key INTEGER, filler BLOB); CREATE INDEX by_key ON rows (key)").ok());
  const std::vector<const char*> vfs{combining_vfs(), combining_vfs(), nullptr};
  std::vector<int> added(vfs.size());
  {
    std::vector<std::jthread> writers;
    for (size_t i = 0; i < vfs.size(); ++i) writers.emplace_back([&, i] { added[i] = work(cat("writer ", i), i + 1, vfs[i]); });
  }
  EXPECT_EQ(text_of(db, "PRAGMA integrity_check"), "ok");
  for (size_t i = 0; i < vfs.size(); ++i) EXPECT_EQ(text_of(db, cat("SELECT count(*) FROM rows WHERE name = 'writer ", i, "'")), std::to_string(added[i]));
}

TEST_F(CombiningVfs, WhatIsGivenUpIsNotWrittenLater) {
  // Given a transaction that overflowed its cache into the log and was given up, when another connection commits there, and the first one reads, then what was committed is there.
  SqliteDb first = connect(), second = connect(nullptr);
  ASSERT_TRUE(first.execute("CREATE TABLE rows (name TEXT, key INTEGER, filler BLOB); CREATE INDEX by_key ON rows (key)").ok());
  for (int turn = 0; turn < 20; ++turn) {
    ASSERT_TRUE(first.execute("BEGIN IMMEDIATE").ok());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(first.execute(cat("INSERT INTO rows VALUES ('given up', ", (i * 7919) % 1000, ", zeroblob(2000))")).ok());
    ASSERT_TRUE(first.execute("ROLLBACK").ok());
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(second.execute(cat("INSERT INTO rows VALUES ('kept', ", i, ", zeroblob(2000))")).ok());
    ASSERT_EQ(text_of(first, "SELECT count(*) FROM rows"), std::to_string(10 * (turn + 1)));
    ASSERT_EQ(text_of(second, "PRAGMA integrity_check"), "ok");
  }
  EXPECT_EQ(text_of(second, "SELECT count(*) FROM rows WHERE name = 'kept'"), "200");
}

}  // namespace
}  // namespace hone::sql
