// ProfileFolder: a browser profile of its own for one start, gone with the object. Readable by its owner only, because the start page in
// it carries the token: on a command line every user of the machine could read it.
#pragma once
#include <string>

#include "base/result.h"

namespace hone::launch {

class ProfileFolder {
 public:
  // Makes the folder under `parent` (a directory for temporary files) and removes those that ended processes left behind.
  static Result<ProfileFolder> make(const std::string& parent);
  ProfileFolder(ProfileFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ProfileFolder& operator=(ProfileFolder&& other) noexcept;
  ~ProfileFolder() { remove(); }

  const std::string& path() const { return path_; }
  std::string log_path() const { return path_ + "/browser.log"; }
  // Writes a page that leads to `url`; returns its file: URL.
  Result<std::string> write_start_page(const std::string& url) const;
  // Writes `url` alone, for Node.js; returns the file.
  Result<std::string> write_start_url(const std::string& url) const;
  // Writes the preferences (firefox_preferences) where Firefox looks for them at its start.
  Status write_preferences(const std::string& text) const;
  // The last line that the browser wrote to its log; empty when none.
  std::string last_log_line() const;
  void remove();

 private:
  Result<std::string> write_file(const std::string& name, const std::string& text) const;
  explicit ProfileFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace hone::launch
