// ModelFolder: the models of queued jobs, one file each by its SHA-256, so that jobs of one model share it. Any thread; calls wait for the disk.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_bytes.h"

namespace hone::server {

class ModelFolder {
 public:
  // `path` is made at the first keep, for its owner alone. bytes_max: of all its files.
  ModelFolder(std::string path, int64_t bytes_max) : path_(std::move(path)), bytes_max_(bytes_max) {}

  // On disk when it returns, until as many drops came as keeps. The SHA-256. Fails: limit_exceeded, disk_full, io_error.
  Result<std::string> keep(std::string_view model);
  void keep_known(const std::string& sha256);  // one that an earlier process kept
  void drop(const std::string& sha256);
  // Mapped as long as somebody holds it. Fails: io_error, also where the file is not what was kept.
  Result<SharedBytes> read(const std::string& sha256) const;
  void remove_unknown();  // what nobody has kept since this object began

 private:
  std::string file_of(const std::string& sha256) const { return path_ + "/" + sha256; }
  Status make_room(const std::string& sha256, int64_t bytes);
  Status write(const std::string& sha256, std::string_view model) const;

  const std::string path_;
  const int64_t bytes_max_;
  std::mutex mutex_;
  std::map<std::string, int> uses_;     // guarded by mutex_
  std::map<std::string, int64_t> bytes_;  // likewise; of those that are kept
};

}  // namespace hone::server
