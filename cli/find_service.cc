#include "cli/find_service.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/cat.h"
#include "base/printable_text.h"
#include "cli/service_url.h"

namespace hone::cli {

namespace {

bool has_database(const ServiceNote& note, const std::string& db) {
  std::error_code error;
  return std::filesystem::equivalent(note.db, db, error);
}

}  // namespace

Result<FoundService> find_service(const CommonOptions& options, const std::vector<ServiceNote>& running) {
  if (!options.tracker.empty()) {
    const auto named =
        std::find_if(running.begin(), running.end(), [&](const auto& note) { return note.url == options.tracker; });
    return FoundService{.url = options.tracker, .db = named == running.end() ? "" : named->db};
  }
  const auto same = std::find_if(running.begin(), running.end(),
                                 [&](const ServiceNote& note) { return has_database(note, options.db); });
  if (same != running.end()) return FoundService{.url = same->url, .db = same->db, .has_database = true};
  if (options.db_given || running.empty()) return FoundService();
  if (running.size() == 1) return FoundService{.url = running.front().url, .db = running.front().db};
  std::string text = cat("found ", running.size(), " services of yours, expected one; choose one with --tracker");
  for (const ServiceNote& note : running) text += cat("\n  --tracker '", note.url, "'   (records in ", note.db, ")");
  return Error{ErrorCode::kInvalidArgument, text};
}

Result<FoundService> find_service(const CommonOptions& options) {
  return find_service(options, running_services(service_notes_folder()));
}

void say_service(const CommonOptions& options, const FoundService& service, const std::string& more) {
  if (!options.tracker.empty() || service.url.empty() || options.quiet) return;
  std::fputs(printable_lines(cat("using the service that you run here, ", without_token(service.url), more, "\n")).c_str(), stderr);
}

}  // namespace hone::cli
