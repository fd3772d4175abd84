// TokenTable: the tokens that let agents and clients in, with their roles. It keeps hashes; a token itself is known to whoever it was made for.
// Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tracker/access.h"
#include "tracker/limits.h"
#include "tracker/outcome.h"
#include "tracker/registry.h"

namespace hone::tracker {

// The token of the URL that hone up prints.
inline constexpr const char* kServiceToken = "service";

// Fails: kInvalidArgument, for what moves a terminal's cursor.
Status check_token_name(const std::string& name);

class TokenTable {
 public:
  TokenTable(const Clock& wall, MakeSecret make_secret) : wall_(wall), make_secret_(std::move(make_secret)) {}

  void restore(const std::vector<StoredToken>& tokens);
  // What kServiceToken is from now on; another one before it ends.
  void set_service_token(const std::string& token, Outcome& out);

  // The token that has not ended. Fails: kUnauthorized.
  Result<const StoredToken*> check(const std::string& token) const;
  // It was shown, or somebody is connected with it: written once in a while. Nothing of one that is not there.
  void use(const std::string& token_id, Outcome& out);
  // Why it lets nobody in any more; ok while it does.
  Status still_good(const std::string& token_id) const;

  // The token stands in the result alone. idle_max: after so long without use it ends; 0: it does not. Fails: kLimitExceeded.
  Result<protocol::TokenCreated> create(const protocol::CreateToken& wanted, std::chrono::milliseconds idle_max, Outcome& out);
  // Fails: kNotFound; kInvalidArgument for kServiceToken, and to rotate what has ended.
  Result<protocol::TokenCreated> rotate(const std::string& token_id, Outcome& out);
  Status revoke(const std::string& token_id, Outcome& out);

  const StoredToken* find(const std::string& token_id) const;
  // As it was, where what was to be written is not on disk; nothing: it was not there.
  void put_back(const std::string& token_id, const StoredToken* before);
  std::vector<protocol::TokenInfo> list(const std::string& after, size_t count_max) const;

 private:
  int64_t now() const { return wall_.now().count(); }
  Result<StoredToken*> changeable(const std::string& token_id);
  int64_t ended_unix_ms(const StoredToken& token) const;
  Status good(const StoredToken& token) const;
  StoredToken& keep(StoredToken token);
  void forget_ended(Outcome& out);

  const Clock& wall_;
  const MakeSecret make_secret_;
  std::map<std::string, StoredToken> tokens_;   // by id
  std::map<std::string, std::string> by_hash_;  // ids
};

}  // namespace hone::tracker
