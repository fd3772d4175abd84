#include "base/sql/postgres_database.h"

#include <gtest/gtest.h>

#include "base/sql/scratch_database.h"

namespace hone::sql {
namespace {

class PostgresTest : public testing::Test {
 protected:
  std::unique_ptr<Database> open() { return std::move(open_postgres(server_.url())).value(); }
  std::unique_ptr<Database> open_with_table() {
    auto db = open();
    EXPECT_TRUE(db->execute("CREATE TABLE notes (id BIGINT PRIMARY KEY, weight BIGINT NOT NULL)").ok());
    return db;
  }
  static Command add(int64_t id) { return {"INSERT INTO notes (id, weight) VALUES ($1, 0)", {id}}; }
  static Result<int64_t> count(Database& db) {
    int64_t rows = -1;
    HONE_TRY(db.query("SELECT count(*) FROM notes", {}, [&](const Row& row) { return rows = row.integer(0), ok_status(); }));
    return rows;
  }

  ScratchPostgres server_;
};

TEST_F(PostgresTest, ComesBackAfterItsConnectionWasEnded) {
  // Given an open database whose connection the server ended, as an administrator does, when something is committed and asked for, then both work as if nothing had been.
  const auto db = open_with_table(), other = open();
  ASSERT_TRUE(db->commit({add(1)}).ok());
  const char* const end_others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'hone' AND pid <> pg_backend_pid()";
  ASSERT_TRUE(other->query(end_others, {}, [](const Row&) { return ok_status(); }).ok());
  const Status committed = db->commit({add(2)});
  EXPECT_TRUE(committed.ok()) << committed.error().message;
  ASSERT_TRUE(other->query(end_others, {}, [](const Row&) { return ok_status(); }).ok());
  EXPECT_EQ(count(*db).value(), 2);
}

TEST_F(PostgresTest, ADeadServerFailsAndLosesNothing) {
  // Given a server whose processes are all killed at once, when something is committed, then it fails and says so; when the server runs again, then all that was acknowledged is
  // there, and the same object commits.
  const auto db = open_with_table();
  for (int64_t i = 0; i < 100; ++i) ASSERT_TRUE(db->commit({add(i)}).ok());
  server_.kill();
  const Status dead = db->commit({add(100)});
  ASSERT_FALSE(dead.ok());
  EXPECT_NE(dead.error().message.find("postgresql://"), std::string::npos) << dead.error().message;
  server_.start();
  EXPECT_TRUE(db->commit({add(101)}).ok());
  EXPECT_EQ(count(*db).value(), 101);
}

TEST_F(PostgresTest, ATransactionWaitsForAServerThatIsAway) {
  // Given a database that may be waited for, and whose server was killed, when it is started while a transaction waits, then the transaction is done.
  const auto db = open_with_table();
  db->wait_while_away(std::chrono::seconds(60));
  server_.kill();
  std::thread starts([this] { server_.start(); });
  const Status done = db->transaction([&]() -> Status {
    HONE_ASSIGN(changed, db->run({add(1)}));
    return ok_status();
  });
  starts.join();
  EXPECT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(count(*db).value(), 1);
}

TEST_F(PostgresTest, TwoThatWaitForEachOtherBothEnd) {
  // Given two transactions that change the same two rows in opposite orders, a hundred times at once, when the server gives one up for the other, then that one is done again, however often
  // that happens: none fails, and all changes are there.
  const auto first = open_with_table(), second = open();
  for (Database* const db : {first.get(), second.get()}) ASSERT_TRUE(db->execute("SET deadlock_timeout = '5ms'").ok());  // by itself the server looks after a second
  ASSERT_TRUE(first->commit({add(1), add(2)}).ok());
  const auto change = [](Database& db, int64_t before, int64_t after) {
    for (int i = 0; i < 100; ++i) {
      const Status done = db.commit({{"UPDATE notes SET weight = weight + 1 WHERE id = $1", {before}}, {"UPDATE notes SET weight = weight + 1 WHERE id = $1", {after}}});
      EXPECT_TRUE(done.ok()) << done.error().message;
    }
  };
  std::thread other([&] { change(*second, 2, 1); });
  change(*first, 1, 2);
  other.join();
  int64_t sum = 0;
  ASSERT_TRUE(first->query("SELECT sum(weight) FROM notes", {}, [&](const Row& row) { return sum = row.integer(0), ok_status(); }).ok());
  EXPECT_EQ(sum, 400);
}

TEST_F(PostgresTest, WhatFailsAfterAConflictIsNotDoneAgain) {
  // Given a transaction that the server gave up, and whose next attempt fails for a reason of its own, when it failed, then it was not done a third time.
  const auto db = open_with_table();
  ASSERT_TRUE(db->commit({add(1)}).ok());
  int attempts = 0;
  const Status done = db->transaction([&]() -> Status {
    if (++attempts == 1) return db->execute("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$");
    HONE_ASSIGN(changed, db->run({{"UPDATE notes SET weight = 2 WHERE id = $1", {int64_t{7}}, Error{ErrorCode::kNotFound, "there is no such note"}}}));
    return ok_status();
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "there is no such note");
  EXPECT_EQ(attempts, 2);
}

TEST_F(PostgresTest, ATextWithANulIsKeptWithASignInItsPlace) {
  // Given a text with a NUL in it, which PostgreSQL has no place for, when it is committed, then it is there with U+FFFD instead, to its end.
  const auto db = open();
  ASSERT_TRUE(db->execute("CREATE TABLE texts (text TEXT NOT NULL)").ok());
  ASSERT_TRUE(db->commit({{"INSERT INTO texts VALUES ($1)", {std::string("a\0b", 3)}}}).ok());
  std::string read;
  ASSERT_TRUE(db->query("SELECT text FROM texts", {}, [&](const Row& row) { return read = row.text(0), ok_status(); }).ok());
  EXPECT_EQ(read, "a\xEF\xBF\xBD" "b");
}

TEST(OpenPostgres, RefusesWhatItCannotTake) {
  // Given a URL with a password, one that is none, and a server that is not there, when each is opened, then it fails in one sentence, without the password.
  const auto secret = open_database("postgresql://ann:hunter2@localhost/farm");
  ASSERT_FALSE(secret.ok());
  EXPECT_EQ(secret.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(secret.error().message.find("hunter2"), std::string::npos);
  const auto nonsense = open_database("postgresql://[:::/x?nothing=1");
  ASSERT_FALSE(nonsense.ok());
  EXPECT_EQ(nonsense.error().code, ErrorCode::kInvalidArgument);
  const auto absent = open_database("postgresql://hone@/farm?host=/tmp/no_such_folder");
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("cannot be opened"), std::string::npos);
  EXPECT_EQ(absent.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace hone::sql
