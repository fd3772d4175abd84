#include "tuner/records/sql_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/cat.h"
#include "base/rng.h"
#include "base/sql/migrate.h"
#include "base/sql/sqlite_db.h"
#include "tuner/records/store_folder.h"
#include "tuner/records/trial_judge.h"

namespace hone::tuner {
namespace {

class SqliteStoreTest : public testing::Test, protected StoreFolder {};

TEST_F(SqliteStoreTest, CommitsAreSafeFromAPowerCut) {
  // Given a database of the store, when its modes are asked, then it is a WAL database, and its connections wait for the disk (FULL = 2).
  open();
  auto db = sql::SqliteDb::open(path());
  ASSERT_TRUE(db.ok());
  for (const auto& [question, answer] : {std::pair{"PRAGMA journal_mode", "wal"}, {"PRAGMA synchronous", "2"}}) {
    auto row = db->prepare(question);
    ASSERT_TRUE(row.ok());
    ASSERT_EQ(row->step(), SQLITE_ROW);
    EXPECT_EQ(row->text(0), answer);
  }
}

TEST_F(SqliteStoreTest, IsItsOwnersAlone) {
  // Given a umask that hides nothing, when a store is made and written to, then its file, its WAL and its shared memory are readable and
  // writable by their owner alone; a file that was there before keeps its mode.
  const mode_t before = umask(0);
  auto store = open();
  umask(before);
  for (const char* more : {"", "-wal", "-shm"})
    EXPECT_EQ(std::filesystem::status(path() + more).permissions(), static_cast<std::filesystem::perms>(0600)) << more;
  store.reset();
  std::filesystem::permissions(path(), static_cast<std::filesystem::perms>(0644));
  store = open();
  EXPECT_EQ(std::filesystem::status(path()).permissions(), static_cast<std::filesystem::perms>(0644));
}

TEST_F(SqliteStoreTest, AddsToADatabaseOfTheFirstSchema) {
  // Given a database as the first schema made it, when it is opened, then its records are there, without prediction and features.
  {
    const auto db = sql::open_database(path()).value();
    ASSERT_TRUE(sql::migrate(*db, "records", {record_migrations().front()}).ok());
    ASSERT_TRUE(
        db->execute("INSERT INTO tasks VALUES ('00000000000000010000000000000002', 'a task', 'text', 100, 1);"
                    "INSERT INTO devices VALUES ('device-a', 'webgpu', 1);"
                    "INSERT INTO fingerprints VALUES (1, 'device-a', '{}');"
                    "INSERT INTO trials SELECT 1, task_id, 'device-a', '00000000000000070000000000000001', '{}' "
                    "FROM tasks;"
                    "INSERT INTO attempts VALUES (1, 0, '', 'seed', 'ok', '', '[9]', 9, 'slope', 1, 1, 1, 1, 0, "
                    "1, 1, '', 1, 0, 1);")
            .ok());
  }
  auto known = open()->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  ASSERT_EQ(known->size(), 1u);
  EXPECT_DOUBLE_EQ((*known)[0].latency_us, 9);
  EXPECT_DOUBLE_EQ((*known)[0].predicted_us, 0);
  EXPECT_TRUE((*known)[0].features.empty());
  EXPECT_EQ((*known)[0].standing, Standing::kUnconfirmed);
  auto db = sql::SqliteDb::open(path());
  auto row = db->prepare("SELECT COUNT(*) FROM attempts WHERE lease IS NULL AND enrolment IS NULL AND trusted = 0 AND doubted = 0");
  ASSERT_EQ(row->step(), SQLITE_ROW);
  EXPECT_EQ(row->integer(0), 1) << "nobody knows under which lease it was measured";
}

TEST_F(SqliteStoreTest, KilledProcessLosesNothingAcknowledged) {
  // Given a process that inserts and is killed at a random moment, when the database is opened again, then each acknowledged record is there once.
  Rng rng(7);
  for (int round = 0; round < 10; ++round) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = open_record_store({.where = path(), .batch_records_max = 8, .batch_delay_ms = 1});
      if (!store.ok()) _exit(1);
      (void)(*store)->put_task({kTask, "a task", "text", 100});
      (void)(*store)->put_device({kDevice, "webgpu", "{}"});
      for (uint64_t i = 1;; ++i) {
        (*store)->insert(record(i, 10), [i, out = channel[1]](Status status) {
          if (status.ok() && write(out, &i, sizeof i) != sizeof i) _exit(1);
        });
        if (i % 64 == 0) (void)(*store)->flush();
      }
    }
    close(channel[1]);
    std::set<uint64_t> acknowledged;
    uint64_t wanted = 20 + rng.below(500), id = 0;
    while (acknowledged.size() < wanted && read(channel[0], &id, sizeof id) == sizeof id) acknowledged.insert(id);
    kill(child, SIGKILL);
    while (read(channel[0], &id, sizeof id) == sizeof id) acknowledged.insert(id);
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    auto known = open()->known_trials(kTask, kDevice);
    ASSERT_TRUE(known.ok()) << known.error().message;
    std::multiset<uint64_t> stored;
    for (const KnownTrial& trial : *known) stored.insert(trial.source_hash.lo);
    for (uint64_t one : acknowledged) EXPECT_EQ(stored.count(one), 1u) << one;
  }
}

TEST_F(SqliteStoreTest, FullDiskIsOneSentenceAndLosesNothing) {
  // Given a database that may not grow, when records are inserted until it is full, then the error says so and what was acknowledged is there.
  int stored = 0;
  {
    auto store = open(40);
    std::atomic<int> ok{0}, failed{0};
    for (uint64_t i = 0; i < 400; ++i) {
      Record r = record(i, 10);
      r.message = std::string(1000, 'x');
      store->insert(r, [&ok, &failed](Status status) { (status.ok() ? ok : failed)++; });
    }
    Status status = store->flush();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kDiskFull);
    EXPECT_NE(status.error().message.find("no space is left"), std::string::npos);
    EXPECT_GT(ok, 0);
    EXPECT_GT(failed, 0);
    stored = ok;
    EXPECT_TRUE(store->flush().ok()) << "an error is told once";
  }
  auto known = open()->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(static_cast<int>(known->size()), stored);
}

TEST_F(SqliteStoreTest, RefusesWhatIsNoDatabase) {
  // Given a file of text, when it is opened as a store, then the error names it.
  std::ofstream(path()) << std::string(5000, 'z');
  auto store = open_record_store({.where = path()});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::kIoError);
  EXPECT_NE(store.error().message.find("is not a database of hone"), std::string::npos) << store.error().message;
}

TEST_F(SqliteStoreTest, RefusesAMissingFolder) {
  // Given a path in a folder that is not there, when it is opened, then the error says what to check.
  auto store = open_record_store({.where = folder_ / "none" / "records.db"});
  ASSERT_FALSE(store.ok());
  EXPECT_NE(store.error().message.find("check that its folder exists"), std::string::npos) << store.error().message;
}

TEST_F(SqliteStoreTest, RefusesAReadOnlyFile) {
  // Given a database that the user may only read, when it is opened, then the error says that it cannot be written.
  open();
  std::filesystem::permissions(path(), std::filesystem::perms::owner_read | std::filesystem::perms::others_read);
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0555));
  bool was_root = geteuid() == 0;
  if (was_root) {
    ASSERT_EQ(seteuid(65534), 0);  // root may write everything
  }
  auto store = open_record_store({.where = path()});
  if (was_root) { ASSERT_EQ(seteuid(0), 0); }
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0755));
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::kIoError);
  EXPECT_NE(store.error().message.find("cannot be"), std::string::npos) << store.error().message;
}

TEST_F(SqliteStoreTest, RefusesANewerSchema) {
  // Given a database made by a newer hone, when it is opened, then it is left alone and the error says which versions meet.
  open();
  {
    auto db = sql::SqliteDb::open(path());
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->execute("UPDATE schema_version SET version = 99 WHERE component = 'records'").ok());
  }
  auto store = open_record_store({.where = path()});
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::kVersionMismatch);
  EXPECT_NE(store.error().message.find("version 99"), std::string::npos);
}

TEST_F(SqliteStoreTest, TwoStoresShareAFile) {
  // Given two stores on one file, when both insert the same and different records, then each is there once.
  auto first = open(), second = open();
  for (uint64_t i = 0; i < 50; ++i) {
    first->insert(record(i, 10));
    second->insert(record(i + 25, 10));
  }
  EXPECT_TRUE(first->flush().ok());
  EXPECT_TRUE(second->flush().ok());
  auto known = first->known_trials(kTask, kDevice);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->size(), 75u);
}

TEST_F(SqliteStoreTest, WhatIsWrongWithAFileIsNamed) {
  // Given a folder and a locked database, when they are opened, then each is called what it is.
  auto folder = open_record_store({.where = testing::TempDir()});
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().message, cat(testing::TempDir(), " is a folder, expected a database; give a file in it"));
  EXPECT_EQ(sql::sqlite_error(nullptr, SQLITE_BUSY, "a.db").message,
            "the database a.db is locked by another process; stop that process, or give another --db");
}

}  // namespace
}  // namespace hone::tuner
