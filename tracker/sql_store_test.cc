#include "tracker/sql_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/cat.h"
#include "tracker/fleet_migrations.h"

namespace hone::tracker {
namespace {

TEST(SqlStore, SaysWhatIsWrong) {
  // Given a folder that does not exist, a file that is no database, and one of a newer schema, when each is opened, then the error has its code and names the file.
  const std::string folder = cat(testing::TempDir(), "/store_test_", getpid());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(open_store(folder + "/none/x.db").error().code, ErrorCode::kIoError);
  std::filesystem::create_directories(folder);
  {
    FILE* file = fopen((folder + "/text.db").c_str(), "w");
    fputs("this is no database, but a text that is long enough to be looked at", file);
    fclose(file);
  }
  const auto text = open_store(folder + "/text.db");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("text.db"), std::string::npos);
  EXPECT_TRUE(open_store(folder + "/good.db").ok());
  EXPECT_TRUE(open_store(folder + "/good.db").ok());
}

TEST(SqlStore, TakesADatabaseOfBeforeThereWereSecrets) {
  // Given a database of the first schema, with an agent and its device, when it is opened, then both are there, and nothing lets the agent be
  // resumed: neither its id nor the launch id that was kept in plain text.
  const std::string path = cat(testing::TempDir(), "/store_before_secrets_", getpid(), ".db");
  std::filesystem::remove(path);
  const auto db = std::move(sql::open_database(path)).value();
  const std::string fingerprint = protocol::to_json(protocol::Fingerprint{.target = "webgpu"}).dump(), timer = protocol::to_json(protocol::Timer{.method = "clock"}).dump();
  const Status made = db->execute(cat(fleet_migrations().at(0),
                                      "CREATE TABLE schema_version (component TEXT PRIMARY KEY, version INTEGER NOT NULL);"
                                      "INSERT INTO schema_version VALUES ('fleet', 1);"
                                      "INSERT INTO fleet_agents VALUES ('a', 'lab', 'plain launch id', 1, 2);"
                                      "INSERT INTO fleet_devices VALUES ('dev-a', 'a', 'gpu', 'key', '", fingerprint, "', '", timer, "', 7, 1, 2);"));
  ASSERT_TRUE(made.ok()) << made.error().message;

  const StoredFleet fleet = open_store(path).value()->load().value();
  ASSERT_EQ(fleet.agents.size(), 1u);
  EXPECT_EQ(fleet.agents[0].agent_name, "lab");
  EXPECT_EQ(fleet.agents[0].resume_hash, "");
  EXPECT_EQ(fleet.agents[0].launch_hash, "");
  ASSERT_EQ(fleet.devices.size(), 1u);
  EXPECT_EQ(fleet.devices[0].fence, 7u);
}

}  // namespace
}  // namespace hone::tracker
