#include "tracker/sqlite_store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "tracker/fleet_migrations.h"

namespace hone::tracker {
namespace {

TEST(SqliteStore, SaysWhatIsWrong) {
  // Given a folder that does not exist, a file that is no database, and one of a newer schema, when each is opened, then the error has its code and names the file.
  const std::string folder = cat(testing::TempDir(), "/store_test_", getpid());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(open_sqlite_store(folder + "/none/x.db").error().code, ErrorCode::kIoError);
  std::filesystem::create_directories(folder);
  {
    FILE* file = fopen((folder + "/text.db").c_str(), "w");
    fputs("this is no database, but a text that is long enough to be looked at", file);
    fclose(file);
  }
  const auto text = open_sqlite_store(folder + "/text.db");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("text.db"), std::string::npos);
  EXPECT_TRUE(open_sqlite_store(folder + "/good.db").ok());
  EXPECT_TRUE(open_sqlite_store(folder + "/good.db").ok());
}

TEST(SqliteStore, TakesADatabaseOfBeforeThereWereSecrets) {
  // Given a database of the first schema, with an agent and its device, when it is opened, then both are there, and nothing lets the agent be
  // resumed: neither its id nor the launch id that was kept in plain text.
  const std::string path = cat(testing::TempDir(), "/store_before_secrets_", getpid(), ".db");
  std::filesystem::remove(path);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  const std::string sql = fleet_migrations().at(0) +
                          "CREATE TABLE schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL);"
                          "INSERT INTO schema_version VALUES ('fleet', 1);"
                          "INSERT INTO fleet_agents VALUES ('a', 'lab', 'plain launch id', 1, 2);"
                          "INSERT INTO fleet_devices VALUES ('dev-a', 'a', 'gpu', 'key', '{}', '{}', 7, 1, 2);";
  char* error = nullptr;
  ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
  const std::string fingerprint = protocol::to_json(protocol::Fingerprint{.target = "webgpu"}).dump();
  const std::string timer = protocol::to_json(protocol::Timer{.method = "clock"}).dump();
  const std::string fill =
      cat("UPDATE fleet_devices SET fingerprint_json = '", fingerprint, "', timer_json = '", timer, "'");
  ASSERT_EQ(sqlite3_exec(db, fill.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);

  const StoredFleet fleet = open_sqlite_store(path).value()->load().value();
  ASSERT_EQ(fleet.agents.size(), 1u);
  EXPECT_EQ(fleet.agents[0].agent_name, "lab");
  EXPECT_EQ(fleet.agents[0].resume_hash, "");
  EXPECT_EQ(fleet.agents[0].launch_hash, "");
  ASSERT_EQ(fleet.devices.size(), 1u);
  EXPECT_EQ(fleet.devices[0].fence, 7u);
}

TEST(SqliteStore, ForgetsWhatItIsToldTo) {
  // Given a device with an open lease and more ended ones than are kept, when they are stored, then the older ones are gone; when the device and its
  // agent are forgotten, then nothing of them is left, and another agent's is.
  const std::string path = cat(testing::TempDir(), "/store_forgets_", getpid(), ".db");
  std::filesystem::remove(path);
  const auto store = open_sqlite_store(path).value();
  std::vector<Write> writes;
  for (const char* id : {"a", "b"}) {
    writes.push_back(StoredAgent{.agent_id = id});
    writes.push_back(StoredDevice{.device_id = cat("dev-", id), .agent_id = id, .local_id = "gpu"});
    for (uint64_t fence = 1; fence <= 150; ++fence)
      writes.push_back(StoredLease{.lease_id = cat(id, fence),
                                   .device_id = cat("dev-", id),
                                   .fence = fence,
                                   .ended_unix_ms = fence == 1 ? 0 : 5});
  }
  ASSERT_TRUE(store->commit(writes).ok());
  const auto count = [&](const char* table) {
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    int64_t rows = -1;
    sqlite3_exec(
        db, cat("SELECT count(*) FROM ", table).c_str(),
        [](void* out, int, char** values, char**) { return *static_cast<int64_t*>(out) = std::stoll(values[0]), 0; },
        &rows, nullptr);
    sqlite3_close(db);
    return rows;
  };
  EXPECT_EQ(count("fleet_leases"), 2 * 101) << "a hundred that ended, and the open one";
  ASSERT_TRUE(store->commit({ForgottenDevice{"dev-a"}, ForgottenAgent{"a"}}).ok());
  EXPECT_EQ(count("fleet_leases"), 101);
  EXPECT_EQ(count("fleet_devices"), 1);
  EXPECT_EQ(count("fleet_agents"), 1);
}

}  // namespace
}  // namespace hone::tracker
