// Access: who may do what. Tokens let agents and clients in, each with a role; an enrolment code is exchanged for one, once. One implementation
// in the same process (AccessDesk). What is asked is answered by `done`, once, from within the call or later. All calls and callbacks on the event
// loop's thread.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/generated/protocol.h"

namespace hone::tracker {

// Who showed a token.
struct Identity {
  std::string token_id;
  protocol::Role role = protocol::Role::kAgent;
  std::string name;  // of the token; "" where it names nobody
  protocol::Quota quota;
};

// Whether what its devices measure is final: an admin has given its token a name that begins with "canary", for devices whose times are known to be right.
bool is_canary(const Identity& who);

// An admin may all; the other roles are beside each other.
bool may(protocol::Role shown, protocol::Role needed);
// kUnauthorized where it may not: which role `what` needs and how to get a token of it. `what`: "an agent", "submit_job".
Status check_role(const Identity& who, protocol::Role needed, std::string_view what);

class Access {
 public:
  virtual ~Access() = default;

  // Who shows this token. Fails: kUnauthorized, for one that is unknown, revoked or expired.
  virtual void admit(const std::string& token, std::function<void(Result<Identity>)> done) = 0;
  // Calls `on_end` once when the token ends while somebody is connected with it, with the sentence to tell; until the returned stop is called.
  virtual std::function<void()> attend(const std::string& token_id, std::function<void(Error)> on_end) = 0;
  // Exchanges a code for a token of the role agent; `done` comes when that is on disk, with it. A code that could not be exchanged for the
  // disk's sake is good once more. Fails: kUnauthorized, for one that is unknown, used or expired.
  virtual void enrol(const std::string& code, std::function<void(Result<protocol::TokenCreated>)> done) = 0;

  // For admins. Fails: kLimitExceeded; kInvalidArgument for a name that cannot be printed or is missing.
  virtual Result<protocol::Enrolment> make_code(const std::string& name) = 0;
  // `done` comes when it is on disk. Fails as above, and as disks do.
  virtual void create(const protocol::CreateToken& wanted, std::function<void(Result<protocol::TokenCreated>)> done) = 0;
  // The service's own token stays: kInvalidArgument. kNotFound for a token that is not there.
  virtual void rotate(const std::string& token_id, std::function<void(Result<protocol::TokenCreated>)> done) = 0;
  virtual void revoke(const std::string& token_id, std::function<void(Status)> done) = 0;
  // Ordered by id, of those behind `after` ("" = from the first) `count_max` at most.
  virtual Result<std::vector<protocol::TokenInfo>> tokens(const std::string& after, size_t count_max) const = 0;
};

}  // namespace hone::tracker
