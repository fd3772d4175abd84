// A folder of the process's own, for what its libraries write.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::native {

class WorkFolder {
 public:
  // In the system's folder for temporary files: <name>-<process>-…. What processes of this name left there that are no more is removed.
  // Fails: io_error.
  static Result<std::unique_ptr<WorkFolder>> make(std::string_view name);
  ~WorkFolder() { remove(); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  void remove() const noexcept;  // with all that is in it

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

}  // namespace hone::native
