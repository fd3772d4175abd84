// hone tokens: who is let into a service, and as what.
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/cat.h"
#include "base/clock.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "cli/ask_service.h"
#include "cli/console.h"
#include "cli/find_service.h"
#include "cli/options.h"
#include "cli/token_file.h"

namespace hone::cli {
namespace {

constexpr double kDayS = 86'400, kMegabyte = 1e6;

struct TokenOptions {
  CommonOptions common;
  std::string role, name, token_id, out;
  double days = 0, payloads_mb_max = 0;
  protocol::Quota quota;
};

std::string state_of(const protocol::TokenInfo& token, uint64_t now_ms) {
  if (token.revoked_unix_ms != 0) return "revoked";
  return token.expires_unix_ms != 0 && token.expires_unix_ms <= now_ms ? "expired" : "good";
}

// "3 d ago", "in 80 d"; otherwise where there is no such time.
std::string distance(uint64_t unix_ms, uint64_t now_ms, const char* otherwise) {
  if (unix_ms == 0) return otherwise;
  const double away_s = (static_cast<double>(unix_ms) - static_cast<double>(now_ms)) / 1000;
  return away_s > 0 ? cat("in ", duration_text(away_s)) : cat(duration_text(-away_s), " ago");
}

uint64_t now_unix_ms() { return static_cast<uint64_t>(SystemClock().now().count()); }

nlohmann::ordered_json token_json(const protocol::TokenInfo& token) {
  const protocol::Quota quota = token.quota.value_or(protocol::Quota());
  return {{"token_id", token.token_id},
          {"role", protocol::to_name(token.role)},
          {"name", token.name},
          {"state", state_of(token, now_unix_ms())},
          {"created_unix_ms", token.created_unix_ms},
          {"expires_unix_ms", token.expires_unix_ms},
          {"revoked_unix_ms", token.revoked_unix_ms},
          {"used_unix_ms", token.used_unix_ms},
          {"devices_max", quota.devices_max},
          {"jobs_max", quota.jobs_max},
          {"bytes_max", quota.bytes_max}};
}

// "2 devices, 10 jobs, 1000 MB"; "-" where it bounds nothing.
std::string quota_text(const std::optional<protocol::Quota>& quota) {
  if (!quota) return "-";
  std::string text;
  const auto add = [&](uint64_t most, const std::string& words) { text += most == 0 ? "" : cat(text.empty() ? "" : ", ", words); };
  add(quota->devices_max, counted(static_cast<int64_t>(quota->devices_max), "device"));
  add(quota->jobs_max, counted(static_cast<int64_t>(quota->jobs_max), "job"));
  add(quota->bytes_max, cat(number_text(static_cast<double>(quota->bytes_max) / kMegabyte), " MB"));
  return text;
}

Result<std::vector<protocol::TokenInfo>> all_tokens(const ServiceUrl& url) {
  std::vector<protocol::TokenInfo> all;
  for (bool more = true; more;) {
    const std::string after = all.empty() ? "" : all.back().token_id;
    HONE_ASSIGN(page, ask_service<protocol::Tokens>(url, [&after](uint64_t id) {
                  protocol::ListTokens ask{.id = id};
                  if (!after.empty()) ask.after = after;
                  return ask;
                }));
    if (!page.tokens.empty() && page.tokens.front().token_id <= after)
      return Error{ErrorCode::kProtocolError, "the service lists a token twice, or out of order; is it hone up?"};
    all.insert(all.end(), page.tokens.begin(), page.tokens.end());
    more = page.more && !page.tokens.empty();
  }
  return all;
}

ExitCode run_list(const TokenOptions& options, const ServiceUrl& url) {
  const auto tokens = all_tokens(url);
  if (!tokens.ok()) return fail(tokens.error());
  const uint64_t now = now_unix_ms();
  if (options.common.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& token : *tokens) list.push_back(token_json(token));
    print_json(nlohmann::ordered_json{{"tokens", list}});
    return ExitCode::kDone;
  }
  Table table{.rows = {{"id", "role", "name", "state", "at most", "made", "ends", "used"}}, .numeric = {false, false, false, false, false, true, true, true}};
  for (const auto& t : *tokens)
    table.rows.push_back({t.token_id, std::string(protocol::to_name(t.role)), t.name.empty() ? "-" : t.name, state_of(t, now), quota_text(t.quota),
                          distance(t.created_unix_ms, now, "-"), distance(t.expires_unix_ms, now, "never"),
                          distance(t.used_unix_ms, now, "never")});
  print_text(table_text(table));
  return ExitCode::kDone;
}

// On stdout the token alone, so that it can be led into a file.
ExitCode show_made(const TokenOptions& options, const protocol::TokenCreated& made) {
  if (!options.out.empty()) {
    const Status written = write_token_file(options.out, made.token, "the token");
    if (!written.ok()) return fail(written.error());
  }
  if (options.common.json) {
    nlohmann::ordered_json json = token_json(made.info);
    if (options.out.empty()) json["token"] = made.token;
    print_json(json);
    return ExitCode::kDone;
  }
  if (options.out.empty()) print_text(made.token + "\n");
  if (!options.common.quiet)
    std::fputs(printable_lines(cat(made.info.token_id, ", role ", protocol::to_name(made.info.role),
                                   made.info.name.empty() ? "" : cat(" of ", made.info.name),
                                   ": its holder gives it with --token-file FILE or HONE_TOKEN; it is not shown again\n"))
                   .c_str(),
               stderr);
  return ExitCode::kDone;
}

ExitCode run_create(const TokenOptions& options, const ServiceUrl& url) {
  protocol::Role role{};
  (void)protocol::from_name(options.role, role);  // it is one of the names: the option's check
  const auto made = ask_service<protocol::TokenCreated>(url, [&](uint64_t id) {
    protocol::CreateToken ask{.id = id, .role = role, .name = options.name, .lifetime_s = options.days * kDayS, .quota = options.quota};
    ask.quota->bytes_max = static_cast<uint64_t>(options.payloads_mb_max * kMegabyte);
    return ask;
  });
  return made.ok() ? show_made(options, *made) : fail(made.error());
}

ExitCode run_rotate(const TokenOptions& options, const ServiceUrl& url) {
  const auto made = ask_service<protocol::TokenCreated>(
      url, [&](uint64_t id) { return protocol::RotateToken{.id = id, .token_id = options.token_id}; });
  return made.ok() ? show_made(options, *made) : fail(made.error());
}

ExitCode run_revoke(const TokenOptions& options, const ServiceUrl& url) {
  const auto revoked = ask_service<protocol::TokenRevoked>(
      url, [&](uint64_t id) { return protocol::RevokeToken{.id = id, .token_id = options.token_id}; });
  if (!revoked.ok()) return fail(revoked.error());
  if (options.common.json) print_json(nlohmann::ordered_json{{"token_id", options.token_id}, {"state", "revoked"}});
  else if (!options.common.quiet)
    std::fputs(printable_lines(cat(options.token_id, " lets nobody in any more\n")).c_str(), stderr);
  return ExitCode::kDone;
}

using RunToken = ExitCode (*)(const TokenOptions&, const ServiceUrl&);

std::shared_ptr<TokenOptions> add_token_verb(Verb verb, RunToken run) {
  auto options = std::make_shared<TokenOptions>();
  add_common_options(verb, options->common, {Uses::kDatabase, Uses::kService});
  verb.runs([options, run] {
    set_up_logging({.quiet = options->common.quiet});
    const auto url = service_of(options->common);
    return url.ok() ? run(*options, *url) : usage_error(url.error().message);
  });
  return options;
}

void add_out(Verb verb, TokenOptions& options) {
  verb.option("--out", options.out, "File for the token, of mode 0600, instead of stdout").check(not_empty());
}

void add_token_id(Verb verb, TokenOptions& options) {
  verb.option("token", options.token_id, "The token's id, as hone tokens list shows it").required().check(not_empty());
}

}  // namespace

void add_tokens(Verb program) {
  Verb verb = program.sub("tokens", "Who is let into a running service, and as what");
  verb.requires_sub();
  verb.footer(
      "Examples:\n"
      "  hone tokens list\n"
      "  hone tokens create --role submitter --name ann --out ann.token\n"
      "  hone tokens create --role agent --name lab-3 --days 30 > lab-3.token\n"
      "  hone tokens rotate tok-3f0a12 --out ann.token  the same token with another secret\n"
      "  hone tokens revoke tok-3f0a12                  who is connected with it is closed at once\n"
      "The one of hone up's own URL is called service.");
  (void)add_token_verb(verb.sub("list", "Lists the tokens; what lets in is not among it"), run_list);
  Verb create = verb.sub("create", "Makes a token and prints it");
  auto made = add_token_verb(create, run_create);
  create.option("--role", made->role, "agent: brings devices; submitter: starts jobs; server: hone server shows it to its tracker; admin: all of it, names devices, makes tokens")
      .required()
      .check(one_of({"agent", "submitter", "server", "admin"}));
  create.option("--name", made->name, "Of a submitter or an admin the user that fairness counts; 64 bytes at most");
  create.option("--days", made->days, "Days until it ends; without it, it does not").check(in_range(0.0, 3650.0));
  create.option("--devices-max", made->quota.devices_max, "Devices that its user's jobs hold at once; further jobs wait").check(in_range(1, 100'000));
  create.option("--jobs-max", made->quota.jobs_max, "Jobs of its user that have not ended; further ones are refused").check(in_range(1, 100'000));
  create.option("--payloads-mb-max", made->payloads_mb_max, "Megabytes of these jobs' models and inputs, together; what goes beyond is refused").check(in_range(1.0, 1e6));
  add_out(create, *made);
  Verb rotate = verb.sub("rotate", "Gives a token another secret and prints it; the earlier one ends");
  auto rotated = add_token_verb(rotate, run_rotate);
  add_token_id(rotate, *rotated);
  add_out(rotate, *rotated);
  Verb revoke = verb.sub("revoke", "Takes a token back; who is connected with it is closed");
  add_token_id(revoke, *add_token_verb(revoke, run_revoke));
}

}  // namespace hone::cli
