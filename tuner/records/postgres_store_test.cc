// A store in PostgreSQL whose server goes away.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/sql/scratch_database.h"
#include "tuner/records/store_folder.h"

namespace hone::tuner {
namespace {

struct PostgresStore : testing::Test, sql::ScratchPostgres, StoreFolder {
  PostgresStore() : StoreFolder(url()) { open(); }

  std::future<Status> insert(uint64_t source) {
    auto told = std::make_shared<std::promise<Status>>();
    store->insert(record(source, 10), [told](const Status& status) { told->set_value(status); });
    return told->get_future();
  }
  void expect_waits(std::future<Status>& told) {
    while (!store->commits().began) std::this_thread::yield();
    EXPECT_EQ(told.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
  }

  const std::unique_ptr<RecordStore> store = std::move(open_record_store({.where = path(), .busy_wait = std::chrono::minutes(5)})).value();
};

TEST_F(PostgresStore, AnAcknowledgementWaitsForASilentServer) {
  // Given a server that answers nothing, when a record comes, then it is not acknowledged; when the server answers again, then it is, and it is there once.
  pause();
  auto told = insert(1);
  expect_waits(told);
  resume();
  const Status status = told.get();
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 1u);
}

TEST_F(PostgresStore, AnAcknowledgementWaitsForAServerThatDied) {
  // Given a server whose processes are killed, when records come, and it is started anew, then all are acknowledged and there, each once, also those of before.
  ASSERT_TRUE(insert(1).get().ok());
  kill();
  auto second = insert(2), third = insert(3);
  expect_waits(second);
  start();
  for (auto* told : {&second, &third}) {
    const Status status = told->get();
    EXPECT_TRUE(status.ok()) << status.error().message;
  }
  EXPECT_EQ(store->known_trials(kTask, kDevice)->size(), 3u);
  EXPECT_EQ(store->added(), 3);
}

}  // namespace
}  // namespace hone::tuner
