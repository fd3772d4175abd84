// Another process holds the database's write lock, as `hone records import` or a person with sqlite3 does.
#include <gtest/gtest.h>

#include "base/net/http_client.h"
#include "cli/service_world.h"
#include "base/sql/sqlite_db.h"

namespace hone::cli {
namespace {

using namespace std::chrono_literals;

struct LockedWorld : World {
  void lock() {
    locker.emplace(sql::SqliteDb::open(folder + "/hone.db").value());
    CHECK(locker->execute("BEGIN IMMEDIATE").ok(), "the database is locked");
  }
  void unlock() { locker.reset(); }
  net::HttpAnswer ready_answer() {
    std::optional<net::HttpAnswer> answer;
    net::http_ask(loop, {.host = "127.0.0.1", .port = service->port(), .path = "/readyz"}, [&](net::HttpAnswer got) { answer = std::move(got); });
    CHECK(run_until([&] { return answer.has_value(); }), "no answer to a GET");
    return *answer;
  }
  // A job in the middle, whose agent takes its time for each candidate.
  void begin(uint32_t trials) {
    add_agent({.measure = always_good(), .each = 10ms});
    submit(trials);
    CHECK(run_until([&] { return agent->acknowledged >= 2; }), "nothing is acknowledged");
  }
  // The lock is there; what was measured before it has been acknowledged, or will not be.
  int acknowledged_under_lock() {
    const int measured = agent->measured;
    CHECK(run_until([&] { return agent->measured > measured + 2; }), "nothing is measured");
    return agent->acknowledged;
  }
  void expect_each_acknowledged_is_stored() {
    const auto stored = records();
    EXPECT_GE(static_cast<int>(stored.size()), agent->acknowledged);
    std::set<std::pair<Hash, int>> names;
    for (const tuner::Record& record : stored) EXPECT_TRUE(names.emplace(record.source_hash, record.attempt).second);
  }

  std::optional<sql::SqliteDb> locker;
};

TEST(LockedDatabase, AcknowledgementsWaitAndCome) {
  // Given a job in the middle, when another process holds the lock for some seconds, then results come and none is acknowledged, and the service says that it is not ready; when the lock is
  // gone, then all are acknowledged, each is stored once, the job ends well, and the service is ready.
  LockedWorld w;
  w.begin(12);
  w.lock();
  const int before = w.acknowledged_under_lock();
  net::HttpAnswer ready;
  EXPECT_TRUE(w.run_until([&] { return (ready = w.ready_answer()).status == 503; }));
  EXPECT_NE(ready.body.find("a commit has not ended for "), std::string::npos) << ready.body;
  EXPECT_EQ(w.agent->acknowledged, before);
  w.unlock();
  ASSERT_TRUE(w.run_until([&] { return w.ended(); }));
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_TRUE(w.run_until([&] { return w.agent->acknowledged == w.agent->measured; }));
  EXPECT_EQ(w.ready_answer().status, 200);
  w.expect_each_acknowledged_is_stored();
}

}  // namespace
}  // namespace hone::cli
