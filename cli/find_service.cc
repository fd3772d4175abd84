#include "cli/find_service.h"

#include <algorithm>
#include <filesystem>

#include "base/cat.h"
#include "cli/service_url.h"

namespace hone::cli {

namespace {

bool has_database(const ServiceNote& note, const std::string& db) {
  std::error_code error;
  return std::filesystem::equivalent(note.db, db, error);
}

}  // namespace

Result<std::string> find_service(const CommonOptions& options, const std::vector<ServiceNote>& running) {
  if (!options.tracker.empty()) return options.tracker;
  const auto same = std::find_if(running.begin(), running.end(),
                                 [&](const ServiceNote& note) { return has_database(note, options.db); });
  if (same != running.end()) return same->url;
  if (options.db_given || running.empty()) return std::string();
  if (running.size() == 1) return running.front().url;
  std::string text = cat("found ", running.size(), " services of yours, expected one; choose one with --tracker");
  for (const ServiceNote& note : running) text += cat("\n  --tracker '", note.url, "'   (records in ", note.db, ")");
  return Error{ErrorCode::kInvalidArgument, text};
}

Result<std::string> find_service(const CommonOptions& options) {
  if (!options.tracker.empty()) return options.tracker;
  return find_service(options, running_services(service_notes_folder()));
}

}  // namespace hone::cli
