#include "tracker/leadership.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/cat.h"
#include "base/sql/scratch_database.h"
#include "tracker/limits.h"

namespace hone::tracker {
namespace {

using namespace std::chrono_literals;

class LeadershipTest : public testing::Test {
 protected:
  LeadershipTest() { EXPECT_TRUE(open_store(server_.url()).ok()); }
  struct Tracker {
    FarmView view;
    std::unique_ptr<Leadership> leadership;
  };
  std::unique_ptr<Tracker> start(const std::string& origin) {
    auto tracker = std::make_unique<Tracker>();
    tracker->leadership = std::move(Leadership::start(loop_, {.database = server_.url(), .origin = origin, .on_view = [t = tracker.get()](const FarmView& view) { t->view = view; }})).value();
    return tracker;
  }
  bool until(const std::function<bool()>& done, std::chrono::milliseconds most = 10s) {
    net::Timer look(loop_), over(loop_);
    look.start_repeating(10ms, [&] {
      if (done()) loop_.stop();
    });
    over.start(most, [&] { loop_.stop(); });
    loop_.run();
    return done();
  }
  // As if nothing had been heard of who has the farm for kLeaderLease.
  void let_it_lapse() { ASSERT_TRUE(std::move(sql::open_database(server_.url())).value()->commit({{"UPDATE fleet_leader SET until = '-infinity'", {}}}).ok()); }
  static std::optional<uint64_t> epoch(const Tracker& tracker) { return tracker.view.turn ? std::optional(tracker.view.turn->epoch) : std::nullopt; }

  sql::ScratchPostgres server_;
  net::EventLoop loop_;
};

TEST_F(LeadershipTest, OneOfSeveralHasTheFarm) {
  // Given three trackers on one database, when they start, then the first has the farm, and each knows who has it and where all are; when that one ends, then another has it, in the next
  // epoch, long before its time was over.
  auto first = start("http://a:1");
  ASSERT_TRUE(until([&] { return first->view.turn.has_value(); }));
  auto second = start("http://b:1"), third = start("http://c:1");
  const std::vector<std::string> all{"http://a:1", "http://b:1", "http://c:1"};
  ASSERT_TRUE(until([&] { return first->view.trackers == all && second->view.trackers == all && third->view.trackers == all; }));
  EXPECT_EQ(second->view.leader, "http://a:1");
  EXPECT_EQ(epoch(*first), 1u);
  EXPECT_FALSE(second->view.turn || third->view.turn);
  const auto began = std::chrono::steady_clock::now();
  first.reset();
  ASSERT_TRUE(until([&] { return second->view.turn || third->view.turn; }));
  EXPECT_LT(std::chrono::steady_clock::now() - began, kLeaderLease / 2);
  EXPECT_NE(second->view.turn.has_value(), third->view.turn.has_value());
  EXPECT_EQ(epoch(second->view.turn ? *second : *third), 2u);
}

TEST_F(LeadershipTest, WhoLostTheFarmWritesNothing) {
  // Given a tracker whose time is over without its knowing, as after a pause, when another one takes the farm, then what the first one commits is refused as a whole, however long ago it opened the
  // store, and it hears that it has the farm no more; the second one's commits are kept.
  auto first = start("http://a:1");
  ASSERT_TRUE(until([&] { return first->view.turn.has_value(); }));
  const auto before = std::move(open_store(server_.url(), first->view.turn)).value();
  ASSERT_TRUE(before->commit({StoredAgent{.agent_id = "kept"}}).ok());
  first->leadership.reset();  // it hears of nothing from here on; its store is open
  auto second = start("http://b:1");
  ASSERT_TRUE(until([&] { return second->view.turn.has_value(); }));
  const Status late = before->commit({StoredAgent{.agent_id = "late"}});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().code, ErrorCode::kStaleFence);
  const auto after = std::move(open_store(server_.url(), second->view.turn)).value();
  EXPECT_TRUE(after->commit({StoredAgent{.agent_id = "second's"}}).ok());
  const StoredFleet fleet = after->load().value();
  ASSERT_EQ(fleet.agents.size(), 2u);
  EXPECT_EQ(fleet.agents[0].agent_id, "kept");
  EXPECT_EQ(fleet.agents[1].agent_id, "second's");
}

TEST_F(LeadershipTest, ATurnThatLapsedIsTaken) {
  // Given a tracker that has the farm and one that stands by, when the time of the first is over by the database's clock, then one has it afterwards, and not both.
  auto first = start("http://a:1");
  ASSERT_TRUE(until([&] { return first->view.turn.has_value(); }));
  auto second = start("http://b:1");
  ASSERT_TRUE(until([&] { return !second->view.leader.empty(); }));
  for (int i = 0; i < 5; ++i) {
    const uint64_t most = std::max(epoch(*first).value_or(0), epoch(*second).value_or(0));
    let_it_lapse();
    ASSERT_TRUE(until([&] { return first->view.turn.has_value() != second->view.turn.has_value(); }));
    EXPECT_GE(std::max(epoch(*first).value_or(0), epoch(*second).value_or(0)), most);
  }
}

TEST_F(LeadershipTest, WhoCannotUseItsTurnPassesIt) {
  // Given a tracker that has the farm and one that stands by, when the first passes, then the other one has the farm at once, and the first does not take it back.
  auto first = start("http://a:1");
  ASSERT_TRUE(until([&] { return first->view.turn.has_value(); }));
  auto second = start("http://b:1");
  ASSERT_TRUE(until([&] { return !second->view.leader.empty(); }));
  first->leadership->pass();
  ASSERT_TRUE(until([&] { return second->view.turn && !first->view.turn; }, kLeaderLease / 2));
}

TEST_F(LeadershipTest, ADatabaseThatIsSilentTakesTheTurn) {
  // Given a tracker that has the farm, when its database answers nothing any more, then it holds itself for one that stands by after kLeaderLease, for another one may have the farm by then; when
  // the database answers again, then it has the farm again.
  auto only = start("http://a:1");
  ASSERT_TRUE(until([&] { return only->view.turn.has_value(); }));
  const auto began = std::chrono::steady_clock::now();
  server_.pause();
  ASSERT_TRUE(until([&] { return !only->view.turn; }, kLeaderLease + 5s));
  EXPECT_GE(std::chrono::steady_clock::now() - began, kLeaderLease - kLeaderBeat - 1s);
  server_.resume();
  EXPECT_TRUE(until([&] { return only->view.turn.has_value(); }, 20s));
}

TEST_F(LeadershipTest, AFarmHasOneToken) {
  // Given a farm whose first tracker gave it a token, when another one comes with the same, then it is taken, and with another one refused, with what to do and without either token.
  EXPECT_TRUE(claim_farm_token(server_.url(), "the farm's", "a.token").ok());
  EXPECT_TRUE(claim_farm_token(server_.url(), "the farm's", "b.token").ok());
  const Status other = claim_farm_token(server_.url(), "another's", "c.token");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUnauthorized);
  EXPECT_NE(other.error().message.find("c.token"), std::string::npos);
  EXPECT_EQ(other.error().message.find("another's"), std::string::npos);
}

}  // namespace
}  // namespace hone::tracker
