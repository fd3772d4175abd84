// Databases that others have written to.
#include <gtest/gtest.h>

#include "base/sql/sqlite_db.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {
namespace {

class DamagedTest : public testing::Test, protected StoreFolder {
 protected:
  void edit(const std::string& sql) {
    auto db = sql::SqliteDb::open(path());
    ASSERT_TRUE(db.ok());
    Status edited = db->execute(sql);
    ASSERT_TRUE(edited.ok()) << sql << ": " << edited.error().message;
  }
  void fill() {
    empty();
    auto store = open();
    store->insert(record(1, 10));
    store->insert(record(2, 20));
    ASSERT_TRUE(store->flush().ok());
  }
};

TEST_F(DamagedTest, ASchemaThatIsNotHonesIsRefused) {
  // Given databases whose version is no version, or whose tables are others, when they are opened or read, then each is refused in a sentence.
  for (const char* sql :
       {"UPDATE schema_version SET version = -5", "UPDATE schema_version SET version = 'two'",
        "UPDATE schema_version SET version = x'ff'", "UPDATE schema_version SET version = 1.5",
        "UPDATE schema_version SET version = 9223372036854775807",
        "DROP TABLE schema_version; CREATE TABLE schema_version (component, version); INSERT INTO schema_version "
        "VALUES ('records', NULL)",
        "DROP TABLE schema_version; CREATE TABLE schema_version (a, b)",
        "DROP TABLE schema_version; CREATE VIEW schema_version AS SELECT 'records' component, 2 version",
        "DROP TABLE attempts; CREATE VIEW attempts AS WITH RECURSIVE n(trial) AS (SELECT 1 UNION ALL SELECT trial + 1 "
        "FROM n) "
        "SELECT trial FROM n",
        "DROP TABLE attempts", "ALTER TABLE attempts DROP COLUMN predicted_us"}) {
    fill();
    edit(sql);
    auto store = open_record_store({.where = path()});
    const Status read =
        store.ok() ? (*store)->list({}, [](const Record&) { return ok_status(); }) : Status(store.error());
    ASSERT_FALSE(read.ok()) << sql;
    EXPECT_NE(read.error().message.find("give another --db"), std::string::npos) << read.error().message;
    EXPECT_LT(read.error().message.size(), 400u);
  }
}

TEST_F(DamagedTest, ARowThatIsNoRecordIsLeftOutAndNamed) {
  // Given databases with one attempt that cannot be one, when they are read, then the other attempt is there, and the damage is told once.
  const std::string deep = "'" + std::string(100'000, '[') + "'";
  for (const std::string& change : {std::string("attempts SET origin = 'x'"),
                                    std::string("attempts SET outcome = 'x'"),
                                    std::string("attempts SET attempt = -1"),
                                    std::string("attempts SET attempt = 9223372036854775807"),
                                    std::string("attempts SET repeats = -9223372036854775808"),
                                    std::string("attempts SET recorded_unix_ms = 9223372036854775807"),
                                    std::string("attempts SET latency_us_median = -5"),
                                    std::string("attempts SET latency_us_median = 9e999"),
                                    std::string("attempts SET latency_us_median = 0"),
                                    std::string("attempts SET reference_us = -9e999"),
                                    std::string("attempts SET samples_us = 'x'"),
                                    std::string("attempts SET samples_us = '{}'"),
                                    std::string("attempts SET samples_us = '[1,null]'"),
                                    std::string("attempts SET samples_us = '[1,-1]'"),
                                    "attempts SET samples_us = " + deep,
                                    "trials SET trace_json = " + deep,
                                    std::string("trials SET trace_json = 'x'"),
                                    std::string("trials SET trace_json = '[]'"),
                                    std::string("trials SET source_hash = 'x'"),
                                    std::string("trials SET features = x'0102030405', feature_version = 0"),
                                    std::string("trials SET features = x'0000c07f', feature_version = 0")}) {
    fill();
    edit("UPDATE " + change + " WHERE trial = 1");
    auto store = open();
    for (int round = 0; round < 2; ++round) {
      auto known = store->known_trials(kTask, kDevice);
      ASSERT_TRUE(known.ok()) << known.error().message;
      ASSERT_EQ(known->size(), 1u) << change.substr(0, 80);
      EXPECT_EQ((*known)[0].source_hash.lo, 2u);
    }
    EXPECT_EQ(store->damage().rows, 1);
    EXPECT_NE(store->damage().first.find(" of trial 1: "), std::string::npos) << store->damage().first;
    EXPECT_LT(store->damage().first.size(), 200u);
  }
}

}  // namespace
}  // namespace hone::tuner
