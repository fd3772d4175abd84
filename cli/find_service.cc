#include "cli/find_service.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/token_file.h"

namespace hone::cli {

namespace {

bool has_database(const ServiceNote& note, const std::string& db) {
  std::error_code error;
  return std::filesystem::equivalent(note.db, db, error);
}

Result<FoundService> any_service(const CommonOptions& options, const std::vector<ServiceNote>& running) {
  if (!options.tracker.empty()) {
    const auto named =
        std::find_if(running.begin(), running.end(), [&](const auto& note) { return without_token(note.url) == without_token(options.tracker); });
    // Of one's own service the note has the token, so that it need not be typed.
    const bool by_note = named != running.end() && !has_secret(options.tracker) && options.environment_token.empty();
    if (named == running.end()) return FoundService{.url = options.tracker};
    return FoundService{.url = by_note ? named->url : options.tracker, .db = named->db, .agents_origin = named->agents_origin};
  }
  const auto same = std::find_if(running.begin(), running.end(),
                                 [&](const ServiceNote& note) { return has_database(note, options.db); });
  if (same != running.end()) return FoundService{.url = same->url, .db = same->db, .agents_origin = same->agents_origin, .has_database = true};
  if (options.db_given || running.empty()) return FoundService();
  if (running.size() == 1) return FoundService{.url = running.front().url, .db = running.front().db, .agents_origin = running.front().agents_origin};
  std::string text = cat("found ", running.size(), " services of yours, expected one; choose one with --tracker");
  for (const ServiceNote& note : running) text += cat("\n  --tracker ", without_token(note.url), "   (records in ", note.db, ")");
  return Error{ErrorCode::kInvalidArgument, text};
}

}  // namespace

Result<std::string> with_token(const std::string& url, const CommonOptions& options) {
  if (!options.token_file.empty()) {
    HONE_ASSIGN(token, read_token_file(options.token_file));
    return with_token(url, token);
  }
  const bool needs = !has_secret(url) && !options.environment_token.empty();
  return needs ? with_token(url, options.environment_token) : url;
}

Result<FoundService> find_service(const CommonOptions& options, const std::vector<ServiceNote>& running) {
  HONE_ASSIGN(found, any_service(options, running));
  if (found.url.empty()) return found;
  HONE_ASSIGN(url, with_token(found.url, options));
  found.url = url;
  return found;
}

Result<ServiceUrl> service_of(const CommonOptions& options) {
  HONE_ASSIGN(service, find_service(options));
  if (service.url.empty())
    return Error{ErrorCode::kInvalidArgument,
                 "no service of yours runs on this machine; start one with hone up, or give its URL with --tracker"};
  say_service(options, service);
  return parse_service_url(service.url, options.ca_file);
}

Result<FoundService> find_service(const CommonOptions& options) {
  return find_service(options, running_services(service_notes_folder()));
}

void say_service(const CommonOptions& options, const FoundService& service, const std::string& more) {
  if (!options.tracker.empty() || service.url.empty() || options.quiet) return;
  std::fputs(printable_lines(cat("using the service that you run here, ", without_token(service.url), more, "\n")).c_str(), stderr);
}

}  // namespace hone::cli
