#include "tracker/remote_access.h"

#include "base/cat.h"

namespace hone::tracker {

namespace {
const Error kAtTheTracker{ErrorCode::kUnsupported, "tokens and codes are made at the tracker: give --tracker its URL, as hone tracker prints it"};
}  // namespace

void RemoteAccess::admit(const std::string& token, std::function<void(Result<Identity>)> done) {
  // One that the tracker could not even read is nobody's; asking would end the connection.
  if (token.size() > kTokenBytesMax) return done(Error{ErrorCode::kUnauthorized, "the token is wrong"});
  link_.ask(protocol::AdmitToken{.token = token}, [this, done = std::move(done)](Result<protocol::ServerFromTracker> reply) {
    if (!reply.ok()) return done(reply.error());
    const auto* who = std::get_if<protocol::TokenAdmitted>(&*reply);
    if (!who) return done(Error{ErrorCode::kProtocolError, "the tracker did not answer with token_admitted"});
    done(Identity{.token_id = who->token_id, .role = who->role, .name = who->name, .quota = who->quota});
    leave(who->token_id);
  });
}

std::function<void()> RemoteAccess::attend(const std::string& token_id, std::function<void(Error)> on_end) {
  const uint64_t visit = ++last_visit_;
  visits_[token_id][visit] = std::move(on_end);
  return [weak = std::weak_ptr(self_), token_id, visit] {
    if (const auto self = weak.lock()) self->stop(token_id, visit);
  };
}

void RemoteAccess::stop(const std::string& token_id, uint64_t visit) {
  const auto found = visits_.find(token_id);
  if (found == visits_.end() || found->second.erase(visit) == 0) return;
  if (found->second.empty()) visits_.erase(found);
  leave(token_id);
}

void RemoteAccess::leave(const std::string& token_id) {
  if (visits_.count(token_id) == 0) link_.send(protocol::LeaveToken{token_id});
}

// It may have ended meanwhile: then the tracker says so.
void RemoteAccess::on_up() {
  for (const auto& [token_id, visits] : visits_) link_.send(protocol::AttendToken{token_id});
}

void RemoteAccess::on_told(const protocol::ServerFromTracker& message) {
  const auto* ended = std::get_if<protocol::TokenEnded>(&message);
  if (!ended) return;
  auto node = visits_.extract(ended->token_id);
  if (node.empty()) return;
  for (auto& [visit, on_end] : node.mapped()) on_end({ErrorCode::kUnauthorized, ended->message});
}

void RemoteAccess::enrol(const std::string&, std::function<void(Result<protocol::TokenCreated>)> done) { done(kAtTheTracker); }
Result<protocol::Enrolment> RemoteAccess::make_code(const std::string&) { return kAtTheTracker; }
void RemoteAccess::create(const protocol::CreateToken&, std::function<void(Result<protocol::TokenCreated>)> done) { done(kAtTheTracker); }
void RemoteAccess::rotate(const std::string&, std::function<void(Result<protocol::TokenCreated>)> done) { done(kAtTheTracker); }
void RemoteAccess::revoke(const std::string&, std::function<void(Status)> done) { done(kAtTheTracker); }
Result<std::vector<protocol::TokenInfo>> RemoteAccess::tokens(const std::string&, size_t) const { return kAtTheTracker; }

}  // namespace hone::tracker
