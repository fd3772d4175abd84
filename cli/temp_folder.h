// TempFolder: a fresh private folder under TMPDIR, gone with the object.
#pragma once
#include <string>
#include <utility>

#include "base/result.h"

namespace hone::cli {

class TempFolder {
 public:
  // Fails: io_error.
  static Result<TempFolder> make();
  TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ~TempFolder();
  TempFolder& operator=(TempFolder&&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace hone::cli
