#include "tracker/token_table.h"

#include <algorithm>
#include <optional>

#include "base/cat.h"
#include "base/printable_text.h"
#include "base/sha256.h"

namespace hone::tracker {

namespace {

constexpr std::string_view kRemedy =
    "; open the URL that hone up prints, or ask whoever runs the service for another one (hone enroll for an agent, hone "
    "tokens create for a person)";

Status check_wanted(const protocol::CreateToken& wanted) {
  HONE_TRY(check_token_name(wanted.name));
  if (wanted.name.empty() && wanted.role == protocol::Role::kSubmitter)
    return Error{ErrorCode::kInvalidArgument,
                 "a submitter's token needs the name of its user, for devices are shared fairly between users; give one"};
  return ok_status();
}

// What a person may have written into the database is no whole number of the protocol.
uint64_t shown(int64_t unix_ms) { return static_cast<uint64_t>(std::clamp<int64_t>(unix_ms, 0, (int64_t{1} << 53) - 1)); }

std::optional<protocol::Quota> shown(const protocol::Quota& quota) {
  if (quota.devices_max == 0 && quota.jobs_max == 0 && quota.bytes_max == 0) return std::nullopt;
  return protocol::Quota{shown(static_cast<int64_t>(quota.devices_max)), shown(static_cast<int64_t>(quota.jobs_max)), shown(static_cast<int64_t>(quota.bytes_max))};
}

protocol::TokenInfo info(const StoredToken& token) {
  return {.token_id = token.token_id,
          .role = token.role,
          .name = token.name,
          .created_unix_ms = shown(token.created_unix_ms),
          .expires_unix_ms = shown(token.expires_unix_ms),
          .revoked_unix_ms = shown(token.revoked_unix_ms),
          .used_unix_ms = shown(token.used_unix_ms),
          .quota = shown(token.quota)};
}

}  // namespace

Status check_token_name(const std::string& name) {
  if (printable(name) == name) return ok_status();
  return Error{ErrorCode::kInvalidArgument,
               "a token's name holds letters, digits and signs that can be printed; leave the others out"};
}

void TokenTable::restore(const std::vector<StoredToken>& tokens) {
  for (const StoredToken& token : tokens) keep(token);
}

StoredToken& TokenTable::keep(StoredToken token) {
  if (const StoredToken* before = find(token.token_id)) by_hash_.erase(before->token_hash);
  by_hash_[token.token_hash] = token.token_id;
  return tokens_[token.token_id] = std::move(token);
}

void TokenTable::set_service_token(const std::string& token, Outcome& out) {
  const std::string hash = sha256_hex(token);
  const StoredToken* before = find(kServiceToken);
  if (before && before->token_hash == hash && good(*before).ok() && before->role == protocol::Role::kAdmin) return;
  out.writes.push_back(keep({.token_id = kServiceToken, .token_hash = hash, .role = protocol::Role::kAdmin, .created_unix_ms = now()}));
}

const StoredToken* TokenTable::find(const std::string& token_id) const {
  const auto found = tokens_.find(token_id);
  return found == tokens_.end() ? nullptr : &found->second;
}

int64_t TokenTable::ended_unix_ms(const StoredToken& token) const {
  if (token.revoked_unix_ms != 0) return token.revoked_unix_ms;
  return token.expires_unix_ms != 0 && token.expires_unix_ms <= now() ? token.expires_unix_ms : 0;
}

Status TokenTable::good(const StoredToken& token) const {
  if (ended_unix_ms(token) == 0) return ok_status();
  return Error{ErrorCode::kUnauthorized, cat(token.revoked_unix_ms != 0 ? "the token was revoked" : "the token has expired", kRemedy)};
}

Status TokenTable::still_good(const std::string& token_id) const {
  const StoredToken* token = find(token_id);
  return token ? good(*token) : Status(Error{ErrorCode::kUnauthorized, cat("the token is no more", kRemedy)});
}

Result<const StoredToken*> TokenTable::check(const std::string& token) const {
  const auto found = by_hash_.find(sha256_hex(token));
  if (found == by_hash_.end() || token.empty()) return Error{ErrorCode::kUnauthorized, cat("the token is wrong", kRemedy)};
  const StoredToken& known = tokens_.at(found->second);
  HONE_TRY(good(known));
  return &known;
}

void TokenTable::use(const std::string& token_id, Outcome& out) {
  const auto found = tokens_.find(token_id);
  if (found == tokens_.end()) return;
  StoredToken& token = found->second;
  const int64_t since_ms = now() - token.used_unix_ms;  // less than none: the clock was set back
  if (token.used_unix_ms != 0 && since_ms >= 0 && since_ms < std::chrono::milliseconds(kTokenUseStep).count()) return;
  token.used_unix_ms = now();
  if (token.idle_ms_max > 0) token.expires_unix_ms = now() + token.idle_ms_max;
  out.writes.push_back(token);
}

Result<protocol::TokenCreated> TokenTable::create(const protocol::CreateToken& wanted, std::chrono::milliseconds idle_max,
                                                  Outcome& out) {
  HONE_TRY(check_wanted(wanted));
  forget_ended(out);
  if (tokens_.size() >= kTokensMax)
    return Error{ErrorCode::kLimitExceeded, cat("the service keeps ", kTokensMax,
                                                " tokens at most; revoke some (hone tokens list, hone tokens revoke)")};
  const std::string secret = make_secret_();
  const auto lifetime_ms = static_cast<int64_t>(wanted.lifetime_s * 1000);
  const int64_t life = idle_max.count() > 0 ? idle_max.count() : lifetime_ms;
  const StoredToken& token = keep({.token_id = cat("tok-", make_secret_().substr(0, 12)),
                                   .token_hash = sha256_hex(secret),
                                   .role = wanted.role,
                                   .name = wanted.name,
                                   .created_unix_ms = now(),
                                   .expires_unix_ms = life > 0 ? now() + life : 0,
                                   .idle_ms_max = idle_max.count(),
                                   .quota = wanted.quota.value_or(protocol::Quota())});
  out.writes.push_back(token);
  return protocol::TokenCreated{.info = info(token), .token = secret};
}

Result<StoredToken*> TokenTable::changeable(const std::string& token_id) {
  const auto found = tokens_.find(token_id);
  if (found == tokens_.end())
    return Error{ErrorCode::kNotFound, cat("there is no token ", token_id, "; hone tokens list shows them by their ids")};
  if (token_id == kServiceToken)
    return Error{ErrorCode::kInvalidArgument,
                 "the token 'service' is that of the URL which hone up prints; to change it, end hone up, remove the file "
                 "<database>.token, and start it again"};
  return &found->second;
}

Result<protocol::TokenCreated> TokenTable::rotate(const std::string& token_id, Outcome& out) {
  HONE_ASSIGN(token, changeable(token_id));
  if (!good(*token).ok())
    return Error{ErrorCode::kInvalidArgument, cat("the token ", token_id, " has ended; make another one with hone tokens create")};
  const std::string secret = make_secret_();
  StoredToken next = *token;
  next.token_hash = sha256_hex(secret);
  const StoredToken& kept = keep(std::move(next));
  out.writes.push_back(kept);
  return protocol::TokenCreated{.info = info(kept), .token = secret};
}

Status TokenTable::revoke(const std::string& token_id, Outcome& out) {
  HONE_ASSIGN(token, changeable(token_id));
  if (token->revoked_unix_ms == 0) token->revoked_unix_ms = std::max<int64_t>(1, now());
  out.writes.push_back(*token);
  return ok_status();
}

void TokenTable::put_back(const std::string& token_id, const StoredToken* before) {
  if (before) {
    keep(*before);
  } else if (const auto now_there = tokens_.extract(token_id); !now_there.empty()) {
    by_hash_.erase(now_there.mapped().token_hash);
  }
}

void TokenTable::forget_ended(Outcome& out) {
  const int64_t oldest = now() - std::chrono::milliseconds(kEndedTokensKept).count();
  std::vector<const StoredToken*> ended;
  for (const auto& [id, token] : tokens_)
    if (ended_unix_ms(token) != 0) ended.push_back(&token);
  std::sort(ended.begin(), ended.end(), [&](const auto* a, const auto* b) { return ended_unix_ms(*a) < ended_unix_ms(*b); });
  for (const StoredToken* token : ended) {
    if (ended_unix_ms(*token) >= oldest && tokens_.size() < kTokensMax) break;
    out.writes.push_back(ForgottenToken{token->token_id});
    put_back(std::string(token->token_id), nullptr);
  }
}

std::vector<protocol::TokenInfo> TokenTable::list(const std::string& after, size_t count_max) const {
  std::vector<protocol::TokenInfo> page;
  for (auto it = tokens_.upper_bound(after); it != tokens_.end() && page.size() < count_max; ++it)
    page.push_back(info(it->second));
  return page;
}

}  // namespace hone::tracker
