#include "cli/record_source.h"

#include <filesystem>

#include "base/cat.h"
#include "base/log.h"
#include "base/number_text.h"
#include "base/sql/database.h"
#include "cli/find_service.h"
#include "cli/remote_records.h"
#include "server/record_classes.h"

namespace hone::cli {

namespace {

class LocalRecords final : public RecordSource {
 public:
  LocalRecords(std::string path, std::unique_ptr<tuner::RecordStore> store)
      : path_(std::move(path)), store_(std::move(store)) {}
  tuner::RecordStore& store() override { return *store_; }
  Status fetch(const tuner::RecordFilter&) override { return ok_status(); }
  tuner::Damage damage() const override { return store_->damage(); }
  const std::string& name() const override { return path_; }

 private:
  const std::string path_;
  const std::unique_ptr<tuner::RecordStore> store_;
};

}  // namespace

Status check_place(const CommonOptions& options) {
  if (options.tracker.empty()) return ok_status();
  HONE_ASSIGN(url, with_token(options.tracker, options));
  HONE_TRY(parse_service_url(url));
  return ok_status();
}

Result<std::unique_ptr<RecordSource>> RecordSource::open(const CommonOptions& options) {
  if (!options.tracker.empty()) {
    HONE_ASSIGN(address, with_token(options.tracker, options));
    HONE_ASSIGN(url, parse_service_url(address, options.ca_file));
    HONE_ASSIGN(remote, RemoteRecords::open(url));
    return std::unique_ptr<RecordSource>(std::move(remote));
  }
  if (!sql::is_postgres(options.db) && !std::filesystem::exists(options.db))
    return Error{ErrorCode::kNotFound,
                 cat("there is no database ", options.db,
                     "; hone tune makes one, or give another with --db FILE, or a service with --tracker URL")};
  HONE_ASSIGN(store, server::open_records({.where = options.db}));
  return std::unique_ptr<RecordSource>(std::make_unique<LocalRecords>(options.db, std::move(store)));
}

void tell_of_damage(const RecordSource& source) {
  if (const tuner::Damage damage = source.damage(); damage.rows > 0)
    log_warn(cat("left out of ", source.name(), ": ", counted(damage.rows, "damaged row"),
                 damage.first.empty() ? "" : "; the first: " + damage.first));
}

}  // namespace hone::cli
