#include "tracker/access_desk.h"

#include <set>

#include "base/cat.h"

namespace hone::tracker {

namespace {

std::string_view how_to_get(protocol::Role role) {
  switch (role) {
    case protocol::Role::kAgent:
      return "hone enroll prints a URL with which an agent gets one";
    case protocol::Role::kSubmitter:
      return "whoever runs the service makes one with hone tokens create --role submitter";
    case protocol::Role::kServer:
      return "whoever runs the tracker makes one with hone tokens create --role server";
    case protocol::Role::kAdmin:
      break;
  }
  return "the URL that hone up prints has one, and hone tokens create --role admin makes others";
}

}  // namespace

bool is_canary(const Identity& who) { return who.name.starts_with("canary"); }

bool may(protocol::Role shown, protocol::Role needed) { return shown == needed || shown == protocol::Role::kAdmin; }

Status check_role(const Identity& who, protocol::Role needed, std::string_view what) {
  if (may(who.role, needed)) return ok_status();
  return Error{ErrorCode::kUnauthorized,
               cat("this token has the role ", protocol::to_name(who.role), ", and ", what, " needs one of the role ",
                   protocol::to_name(needed), "; ", how_to_get(needed))};
}

AccessDesk::AccessDesk(const Clock& steady, const Clock& wall, MakeSecret make_secret, Apply apply)
    : steady_(steady), table_(wall, make_secret), codes_(steady, make_secret), apply_(std::move(apply)) {}

void AccessDesk::restore(const std::vector<StoredToken>& tokens, const std::string& service_token) {
  table_.restore(tokens);
  Outcome out;
  table_.set_service_token(service_token, out);
  apply_(std::move(out));
}

void AccessDesk::tick() {
  if (steady_.now() - looked_ < kVisitsLookedAt) return;
  looked_ = steady_.now();
  std::set<std::string> here;
  for (const auto& [id, visit] : *visits_) here.insert(visit.token_id);
  Outcome out;
  for (const std::string& token_id : here) table_.use(token_id, out);
  if (!out.writes.empty()) apply_(std::move(out));
  for (const std::string& token_id : here)
    if (const Status good = table_.still_good(token_id); !good.ok()) end_visits(token_id, good.error());
}

Result<Identity> AccessDesk::admit(const std::string& token) {
  HONE_ASSIGN(known, table_.check(token));
  Identity who{.token_id = known->token_id, .role = known->role, .name = known->name, .quota = known->quota};
  Outcome out;
  table_.use(who.token_id, out);
  if (!out.writes.empty()) apply_(std::move(out));
  return who;
}

std::function<void()> AccessDesk::attend(const std::string& token_id, std::function<void(Error)> on_end) {
  const uint64_t id = ++last_visit_;
  visits_->emplace(id, Visit{token_id, std::move(on_end)});
  return [weak = std::weak_ptr(visits_), id] {
    if (const auto visits = weak.lock()) visits->erase(id);
  };
}

// Taken out first: a callback may stop other visits, or begin one.
void AccessDesk::end_visits(const std::string& token_id, const Error& why) {
  for (auto it = visits_->begin(); it != visits_->end();) {
    if (it->second.token_id != token_id) {
      ++it;
      continue;
    }
    const auto on_end = std::move(it->second.on_end);
    const uint64_t id = it->first;
    visits_->erase(it);
    on_end(why);
    it = visits_->upper_bound(id);
  }
}

void AccessDesk::enrol(const std::string& code, std::function<void(Result<protocol::TokenCreated>)> done) {
  const auto name = codes_.take(code);
  if (!name.ok()) return done(name.error());
  Outcome out;
  auto made = table_.create({.role = protocol::Role::kAgent, .name = *name}, kEnrolledIdleMax, out);
  if (!made.ok()) {
    codes_.give_back(code);
    return done(made.error());
  }
  out.effects.push_back(Then{[this, code, made = *made, done = std::move(done)](const Status& stored) {
    if (stored.ok()) return done(made);
    codes_.give_back(code);
    table_.put_back(made.info.token_id, nullptr);
    done(stored.error());
  }});
  apply_(std::move(out));
}

Result<protocol::Enrolment> AccessDesk::make_code(const std::string& name) {
  HONE_TRY(check_token_name(name));
  HONE_ASSIGN(code, codes_.make(name));
  return protocol::Enrolment{.code = code, .lifetime_ms = static_cast<double>(std::chrono::milliseconds(kCodeLifetime).count())};
}

void AccessDesk::create(const protocol::CreateToken& wanted, std::function<void(Result<protocol::TokenCreated>)> done) {
  Outcome out;
  auto made = table_.create(wanted, std::chrono::milliseconds(0), out);
  if (!made.ok()) return done(made.error());
  out.effects.push_back(Then{[this, made = *made, done = std::move(done)](const Status& stored) {
    if (stored.ok()) return done(made);
    table_.put_back(made.info.token_id, nullptr);
    done(stored.error());
  }});
  apply_(std::move(out));
}

void AccessDesk::rotate(const std::string& token_id, std::function<void(Result<protocol::TokenCreated>)> done) {
  const StoredToken* found = table_.find(token_id);
  const StoredToken before = found ? *found : StoredToken();
  Outcome out;
  auto made = table_.rotate(token_id, out);
  if (!made.ok()) return done(made.error());
  out.effects.push_back(Then{[this, before, made = *made, done = std::move(done)](const Status& stored) {
    if (!stored.ok()) {
      table_.put_back(before.token_id, &before);
      return done(stored.error());
    }
    done(made);
    end_visits(before.token_id, {ErrorCode::kUnauthorized, "another token took the place of this one; ask whoever runs the service for it"});
  }});
  apply_(std::move(out));
}

// A token that could not be taken back on disk lets nobody in until the next start all the same. The answer goes before whoever asked is
// closed for it.
void AccessDesk::revoke(const std::string& token_id, std::function<void(Status)> done) {
  Outcome out;
  if (const Status revoked = table_.revoke(token_id, out); !revoked.ok()) return done(revoked);
  out.effects.push_back(Then{[this, token_id, done = std::move(done)](const Status& stored) {
    done(stored);
    if (const Status good = table_.still_good(token_id); !good.ok()) end_visits(token_id, good.error());
  }});
  apply_(std::move(out));
}

Result<std::vector<protocol::TokenInfo>> AccessDesk::tokens(const std::string& after, size_t count_max) const {
  return table_.list(after, count_max);
}

}  // namespace hone::tracker
