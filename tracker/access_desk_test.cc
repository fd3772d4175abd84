#include "tracker/access_desk.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "tracker/sql_store.h"

namespace hone::tracker {
namespace {

using namespace std::chrono_literals;
using protocol::Role;

// The desk on a real database and fake clocks.
class AccessTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = cat(testing::TempDir(), "/access_", testing::UnitTest::GetInstance()->current_test_info()->name(), "_", getpid(), ".db");
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
    start();
  }
  // Also a restart after kill -9: nothing but the database is left.
  void start(const std::string& service_token = "url") {
    desk_.reset();
    store_.reset();
    store_ = open_store(path_).value();
    desk_ = std::make_unique<AccessDesk>(steady_, wall_, random_secret, [this](Outcome outcome) { apply(std::move(outcome)); });
    desk_->restore(store_->load().value().tokens, service_token);
  }
  void apply(Outcome outcome) {
    if (holds_back_) return held_.push_back(std::move(outcome));
    const Status stored = disk_full_ ? Status(Error{ErrorCode::kDiskFull, "no space"}) : store_->commit(outcome.writes);
    writes_ += outcome.writes.size();
    for (const Effect& effect : outcome.effects) std::get<Then>(effect).done(stored);
  }
  Result<protocol::TokenCreated> create(Role role, const std::string& name, double lifetime_s = 0) {
    Result<protocol::TokenCreated> made = Error{};
    desk_->create({.role = role, .name = name, .lifetime_s = lifetime_s}, [&](auto result) { made = std::move(result); });
    return made;
  }
  Result<protocol::TokenCreated> rotate(const std::string& id) {
    Result<protocol::TokenCreated> made = Error{};
    desk_->rotate(id, [&](auto result) { made = std::move(result); });
    return made;
  }
  Result<protocol::TokenCreated> enrol(const std::string& code) {
    Result<protocol::TokenCreated> made = Error{};
    desk_->enrol(code, [&](auto result) { made = std::move(result); });
    return made;
  }
  Status revoke(const std::string& id) {
    Status status = ok_status();
    desk_->revoke(id, [&](Status result) { status = std::move(result); });
    return status;
  }
  std::string refusal(const std::string& token) {
    const auto who = desk_->admit(token);
    if (who.ok()) return "";
    EXPECT_EQ(who.error().code, ErrorCode::kUnauthorized);
    return who.error().message;
  }
  void pass(std::chrono::milliseconds time) {
    steady_.advance(time);
    wall_.advance(time);
    desk_->tick();
  }
  bool contains(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

  std::string path_;
  FakeClock steady_{5s}, wall_{1'700'000'000'000ms};
  bool disk_full_ = false, holds_back_ = false;
  std::vector<Outcome> held_;
  size_t writes_ = 0;
  std::unique_ptr<Store> store_;
  std::unique_ptr<AccessDesk> desk_;
};

TEST_F(AccessTest, TokensOutliveTheServiceAndTheDatabaseHasTheirHashesAlone) {
  // Given tokens of each role, when the service is started anew, then each lets its holder in with its role and name, a wrong one does not, and no
  // byte of the database's files is one of the tokens.
  std::map<Role, std::string> tokens;
  for (const Role role : {Role::kAgent, Role::kSubmitter, Role::kAdmin}) tokens[role] = create(role, "ann").value().token;
  start();
  for (const auto& [role, token] : tokens) {
    const auto who = desk_->admit(token);
    ASSERT_TRUE(who.ok()) << who.error().message;
    EXPECT_EQ(who->role, role);
    EXPECT_EQ(who->name, "ann");
  }
  EXPECT_EQ(desk_->admit("url").value().role, Role::kAdmin);
  for (const std::string& wrong : std::vector<std::string>{"", "url ", "URL", "' OR 1=1 --", std::string(128, '0')})
    EXPECT_TRUE(contains(refusal(wrong), "the token is wrong; ")) << wrong;
  for (const auto& [role, token] : tokens)
    for (const char* suffix : {"", "-wal"}) {
      std::ifstream in(path_ + suffix, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(in)), {});
      EXPECT_FALSE(contains(bytes, token));
      if (*suffix == '\0') continue;
      EXPECT_TRUE(contains(bytes, sha256_hex(token))) << "the control: what is looked for would be found";
    }
}

TEST_F(AccessTest, AQuotaIsTheTokensAsLongAsItLives) {
  // Given a token with a quota, when it is rotated and the service is started anew, then its holder has that quota, and lists show it; a token without one bounds nothing.
  protocol::CreateToken ask{.role = Role::kSubmitter, .name = "ann"};
  ask.quota = protocol::Quota{.devices_max = 2, .jobs_max = 10, .bytes_max = uint64_t{1} << 40};
  std::string id;
  desk_->create(ask, [&](auto made) { id = made.value().info.token_id; });
  const std::string token = rotate(id).value().token, free = create(Role::kSubmitter, "bob").value().token;
  start();
  EXPECT_EQ(protocol::to_json(desk_->admit(token).value().quota), protocol::to_json(*ask.quota));
  EXPECT_EQ(protocol::to_json(desk_->admit(free).value().quota), protocol::to_json(protocol::Quota()));
  const auto all = desk_->tokens("", 10).value();
  for (const protocol::TokenInfo& info : all) EXPECT_EQ(info.quota.has_value(), info.token_id == id) << info.token_id;
}

TEST_F(AccessTest, AnotherTokenOfTheServiceEndsTheOneBefore) {
  // Given a service whose URL has another token than before, when it has started, then that one lets in, and the earlier one does not.
  start("other");
  EXPECT_EQ(desk_->admit("other").value().token_id, kServiceToken);
  EXPECT_TRUE(contains(refusal("url"), "wrong"));
  EXPECT_EQ(desk_->tokens("", 10).value().size(), 1u);
}

TEST_F(AccessTest, ACodeLetsInOnce) {
  // Given a code, when it is shown twice, by two at once, then the first gets a token of the role agent and the other none; when it is shown again
  // later, also after a restart, or was never made, then each is told which of these it is.
  const std::string code = desk_->make_code("phone").value().code;
  holds_back_ = true;
  std::vector<Result<protocol::TokenCreated>> answers;
  for (int tab = 0; tab < 2; ++tab) desk_->enrol(code, [&](auto made) { answers.push_back(std::move(made)); });
  holds_back_ = false;
  for (Outcome& outcome : std::exchange(held_, {})) apply(std::move(outcome));
  ASSERT_EQ(answers.size(), 2u);
  ASSERT_FALSE(answers[0].ok()) << "the second is refused at once, the first waits for the disk";
  EXPECT_TRUE(contains(answers[0].error().message, "was used before, and it lets in once; ask for another one with hone enroll"));
  const auto who = desk_->admit(answers[1].value().token);
  EXPECT_EQ(who.value().role, Role::kAgent);
  EXPECT_EQ(who.value().name, "phone");
  EXPECT_TRUE(contains(enrol(code).error().message, "used before"));
  EXPECT_TRUE(contains(enrol("0123456789abcdef0123456789abcdef").error().message, "unknown"));
  EXPECT_TRUE(contains(enrol("").error().message, "unknown"));
  start();
  EXPECT_EQ(enrol(code).error().code, ErrorCode::kUnauthorized);
  EXPECT_TRUE(desk_->admit(answers[1].value().token).ok());
}

TEST_F(AccessTest, ACodeIsGoodForTenMinutesWhateverTheWallClockSays) {
  // Given two codes, when nine minutes have passed and the wall clock jumped by a year, then the first lets in; when ten have, then the second does not
  // and says why.
  const std::string first = desk_->make_code("").value().code, second = desk_->make_code("").value().code;
  steady_.advance(9min);
  wall_.advance(std::chrono::hours(24 * 365));
  EXPECT_TRUE(enrol(first).ok());
  steady_.advance(1min);
  EXPECT_TRUE(contains(enrol(second).error().message, "older than 10 minutes; ask for another one with hone enroll"));
}

TEST_F(AccessTest, WhatIsNotOnDiskLetsNobodyIn) {
  // Given a full disk, when a code is shown, a token made, and another rotated, then each fails as the disk does; when there is room again, then the code is
  // still good, and the token that was to be rotated lets in as before.
  const std::string code = desk_->make_code("").value().code;
  const auto kept = create(Role::kSubmitter, "ann").value();
  disk_full_ = true;
  EXPECT_EQ(enrol(code).error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(create(Role::kSubmitter, "bob").error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(rotate(kept.info.token_id).error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(desk_->tokens("", 10).value().size(), 2u) << "the service's own, and ann's";
  disk_full_ = false;
  EXPECT_TRUE(enrol(code).ok());
  EXPECT_TRUE(desk_->admit(kept.token).ok());
}

TEST_F(AccessTest, ARevokedTokenEndsWhoIsConnectedWithIt) {
  // Given two tokens with two visitors each, one of whom has left, when the first is revoked, then it lets nobody in, also after a restart, the one who is
  // there with it is told, and the other token's are not; a second revocation changes nothing.
  const auto lost = create(Role::kSubmitter, "ann").value(), kept = create(Role::kSubmitter, "bob").value();
  std::vector<std::string> told;
  std::vector<std::function<void()>> stops;
  for (const auto& [token, name] : {std::pair(lost, "ann"), std::pair(lost, "left"), std::pair(kept, "bob")})
    stops.push_back(desk_->attend(token.info.token_id, [&told, name = name](const Error& why) { told.push_back(cat(name, ": ", why.message)); }));
  stops[1]();
  ASSERT_TRUE(revoke(lost.info.token_id).ok());
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(contains(told[0], "ann: the token was revoked; "));
  EXPECT_TRUE(revoke(lost.info.token_id).ok());
  EXPECT_EQ(told.size(), 1u);
  start();
  EXPECT_TRUE(contains(refusal(lost.token), "the token was revoked; "));
  EXPECT_TRUE(desk_->admit(kept.token).ok());
  EXPECT_EQ(revoke("tok-none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(revoke("'; DROP TABLE fleet_tokens; --").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(revoke(kServiceToken).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(desk_->admit("url").ok());
}

TEST_F(AccessTest, AVisitorMayLeaveOrComeWhileOthersAreToldToGo) {
  // Given visitors with one token of whom one ends another's visit and a third begins one, when the token is revoked, then each that is there is told
  // once, and nothing is called that was stopped.
  const auto token = create(Role::kSubmitter, "ann").value();
  std::vector<int> told;
  std::function<void()> stop_second;
  (void)desk_->attend(token.info.token_id, [&](const Error&) { told.push_back(1), stop_second(); });
  stop_second = desk_->attend(token.info.token_id, [&](const Error&) { told.push_back(2); });
  (void)desk_->attend(token.info.token_id, [&](const Error&) { told.push_back(3); });
  ASSERT_TRUE(revoke(token.info.token_id).ok());
  EXPECT_EQ(told, (std::vector<int>{1, 3}));
}

TEST_F(AccessTest, ATokenExpiresWhileSomebodyIsConnected) {
  // Given a token of an hour with a visitor, when the hour is over, then the visitor is told and nobody gets in with it; one without end goes on.
  const auto hour = create(Role::kSubmitter, "ann", 3600).value(), ever = create(Role::kSubmitter, "bob").value();
  std::string told;
  const auto stop = desk_->attend(hour.info.token_id, [&](const Error& why) { told = why.message; });
  pass(59min);
  EXPECT_EQ(told, "");
  EXPECT_TRUE(desk_->admit(hour.token).ok());
  pass(1min);
  EXPECT_TRUE(contains(told, "the token has expired; "));
  EXPECT_TRUE(contains(refusal(hour.token), "the token has expired; "));
  EXPECT_EQ(rotate(hour.info.token_id).error().code, ErrorCode::kInvalidArgument);
  wall_.advance(std::chrono::hours(24 * 3650));
  EXPECT_TRUE(desk_->admit(ever.token).ok());
}

TEST_F(AccessTest, ARotatedTokenHasItsIdAndNameAndAnotherSecret) {
  // Given a token with a visitor, when it is rotated, then the new secret lets in as the same, the old one does not, and the visitor is told.
  const auto before = create(Role::kSubmitter, "ann").value();
  std::string told;
  const auto stop = desk_->attend(before.info.token_id, [&](const Error& why) { told = why.message; });
  const auto after = rotate(before.info.token_id).value();
  EXPECT_EQ(after.info.token_id, before.info.token_id);
  EXPECT_TRUE(contains(told, "another token took the place of this one"));
  EXPECT_TRUE(contains(refusal(before.token), "wrong"));
  start();
  EXPECT_EQ(desk_->admit(after.token).value().name, "ann");
  EXPECT_TRUE(contains(refusal(before.token), "wrong"));
}

TEST_F(AccessTest, AnEnrolledAgentLastsAsLongAsItComesBack) {
  // Given an enrolled agent, when it comes back every 80 days, or stays connected, then it is let in for years; when it stays away for 90, then it is not.
  const std::string token = enrol(desk_->make_code("").value().code).value().token;
  for (int i = 0; i < 10; ++i) {
    wall_.advance(std::chrono::hours(24 * 80));
    EXPECT_TRUE(desk_->admit(token).ok()) << i;
    start();
  }
  {
    const auto who = desk_->admit(token);
    const auto stop = desk_->attend(who->token_id, [](const Error& why) { ADD_FAILURE() << why.message; });
    for (int day = 0; day < 400; ++day) pass(24h);
    stop();
  }
  EXPECT_TRUE(desk_->admit(token).ok()) << "it was connected all the time";
  wall_.advance(std::chrono::hours(24 * 90));
  EXPECT_TRUE(contains(refusal(token), "expired"));
}

TEST_F(AccessTest, TokensFollowTheWallClockAndCodesDoNot) {
  // Given a token of two hours, one without end, an enrolled agent and a code, when the clock goes an hour ahead and two back, then all let in; when it goes three hours ahead, then the first does not; when
  // it is right again, then that does, too, and nothing was forgotten.
  const auto two_hours = create(Role::kSubmitter, "ann", 7200).value(), ever = create(Role::kSubmitter, "bob").value();
  const std::string agent = enrol(desk_->make_code("lab").value().code).value().token, code = desk_->make_code("later").value().code;
  const size_t tokens = desk_->tokens("", 10).value().size();
  const auto lets_in = [&](const std::string& token) {
    desk_->tick();
    return desk_->admit(token).ok();
  };
  for (const auto jump : {0h, 1h, -2h, 1h}) {
    wall_.advance(jump);
    for (const std::string& token : {two_hours.token, ever.token, agent}) EXPECT_TRUE(lets_in(token)) << jump.count();
  }
  wall_.advance(3h);
  EXPECT_FALSE(lets_in(two_hours.token));
  for (const std::string& token : {ever.token, agent}) EXPECT_TRUE(lets_in(token));
  wall_.advance(-3h);
  EXPECT_TRUE(lets_in(two_hours.token));
  EXPECT_TRUE(enrol(code).ok());
  EXPECT_EQ(desk_->tokens("", 10).value().size(), tokens + 1);
}

TEST_F(AccessTest, AClockThatWasFarAheadLeavesNoTokenThatNeverEnds) {
  // Given an agent that enrolled while the clock was ten years ahead, when it comes once more with the clock set right, and then stays away for 90 days, then it is not let in.
  constexpr std::chrono::hours kTenYears{24 * 3650};
  wall_.advance(kTenYears);
  const std::string token = enrol(desk_->make_code("").value().code).value().token;
  EXPECT_TRUE(desk_->admit(token).ok());
  wall_.advance(-kTenYears);
  EXPECT_TRUE(desk_->admit(token).ok());
  wall_.advance(kEnrolledIdleMax);
  EXPECT_TRUE(contains(refusal(token), "expired"));
}

TEST_F(AccessTest, ATokenThatIsShownOftenIsWrittenOnceAnHour) {
  // Given a token, when it is shown a thousand times in an hour, then that is written once; in the next hour once more.
  const std::string token = create(Role::kAgent, "").value().token;
  writes_ = 0;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(desk_->admit(token).ok());
  EXPECT_EQ(writes_, 1u);
  wall_.advance(1h);
  EXPECT_TRUE(desk_->admit(token).ok());
  EXPECT_EQ(writes_, 2u);
}

TEST_F(AccessTest, NamesAreDataAndNothingElse) {
  // Given names with SQL, quotes and 64 bytes, when tokens have them, then they come back as they were; names that act on a terminal, and a submitter
  // without one, are refused with a sentence.
  const std::string long_name(64, 'x');
  for (const std::string& name : {std::string("x'); DROP TABLE fleet_tokens; --"), std::string("\"admin\""), std::string("Jörg ☃"), long_name})
    EXPECT_EQ(create(Role::kSubmitter, name).value().info.name, name);
  start();
  EXPECT_EQ(desk_->tokens("", 10).value().size(), 5u);
  for (const std::string name : {"\x1b[2J", "a\nb", "\xff"}) {
    EXPECT_EQ(create(Role::kAgent, name).error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(desk_->make_code(name).error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_TRUE(contains(create(Role::kSubmitter, "").error().message, "needs the name of its user"));
}

TEST_F(AccessTest, ThereIsAnEndToTokensAndCodes) {
  // Given as many tokens as are kept, when another is made, then it is refused while they live; when one is revoked, then its row makes room. Codes likewise,
  // until their time is over.
  std::vector<Write> many;
  for (size_t i = 1; i < kTokensMax; ++i)
    many.push_back(StoredToken{.token_id = cat("t", i), .token_hash = cat("h", i), .created_unix_ms = 1});
  ASSERT_TRUE(store_->commit(many).ok());
  start();
  EXPECT_EQ(create(Role::kAgent, "").error().code, ErrorCode::kLimitExceeded);
  ASSERT_TRUE(revoke("t7").ok());
  EXPECT_TRUE(create(Role::kAgent, "").ok());
  EXPECT_EQ(create(Role::kAgent, "").error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(desk_->tokens("t6", 1).value()[0].token_id, "t60");
  for (size_t i = 0; i < kCodesMax; ++i) ASSERT_TRUE(desk_->make_code("").ok()) << i;
  EXPECT_EQ(desk_->make_code("").error().code, ErrorCode::kLimitExceeded);
  steady_.advance(20min);
  EXPECT_TRUE(desk_->make_code("").ok());
}

TEST(Roles, AnAdminMayAllAndTheOthersStandBesideEachOther) {
  // Given each pair of a role that is shown and one that is needed, when it is checked, then an admin may all, the others what is theirs, and the refusal names
  // both roles and how to get a token.
  for (const Role role : {Role::kAgent, Role::kSubmitter, Role::kAdmin}) {
    EXPECT_TRUE(may(Role::kAdmin, role));
    EXPECT_TRUE(may(role, role));
  }
  EXPECT_FALSE(may(Role::kAgent, Role::kSubmitter));
  EXPECT_FALSE(may(Role::kSubmitter, Role::kAgent));
  EXPECT_FALSE(may(Role::kAgent, Role::kAdmin));
  EXPECT_FALSE(may(Role::kSubmitter, Role::kAdmin));
  EXPECT_EQ(check_role({.role = Role::kAgent}, Role::kSubmitter, "submit_job").error().message,
            "this token has the role agent, and submit_job needs one of the role submitter; whoever runs the service makes one with hone "
            "tokens create --role submitter");
}

}  // namespace
}  // namespace hone::tracker
