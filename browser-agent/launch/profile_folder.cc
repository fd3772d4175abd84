#include "browser-agent/launch/profile_folder.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/cat.h"
#include "base/private_file.h"

namespace hone::launch {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPrefix = "hone-browser-";
constexpr int kRemovalsMax = 20;

// hone-browser-<pid>-XXXXXX: the process that made it.
pid_t owner_of(const std::string& name) {
  pid_t owner = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), owner);
  return owner;
}

// A launcher that was killed could not clean up behind itself.
void remove_abandoned(const std::string& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const pid_t owner = owner_of(name);
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

std::string escape_attribute(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

}  // namespace

Result<ProfileFolder> ProfileFolder::make(const std::string& parent) {
  remove_abandoned(parent);
  std::string pattern = cat(parent, '/', kPrefix, getpid(), "-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr)
    return Error{ErrorCode::kIoError, cat("no browser profile can be made in ", parent, ": ", std::strerror(errno))};
  return ProfileFolder(pattern);
}

ProfileFolder& ProfileFolder::operator=(ProfileFolder&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, "");
  }
  return *this;
}

Result<std::string> ProfileFolder::write_start_page(const std::string& url) const {
  HONE_ASSIGN(file,
              write_file("start.html",
                         cat("<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0;url=",
                             escape_attribute(url), "\">")));
  return "file://" + file;
}

Result<std::string> ProfileFolder::write_start_url(const std::string& url) const {
  return write_file("start.url", url + "\n");
}

Status ProfileFolder::write_preferences(const std::string& text) const {
  HONE_TRY(write_file("user.js", text));
  return ok_status();
}

Result<std::string> ProfileFolder::write_file(const std::string& name, const std::string& text) const {
  const std::string file = cat(path_, '/', name);
  make_private_file(file);  // the URL has a token
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out)
    return Error{ErrorCode::kIoError, cat("the browser's file ", file, " cannot be written; is the disk full?")};
  return file;
}

std::string ProfileFolder::last_log_line() const {
  std::ifstream in(log_path());
  std::string line, last;
  while (std::getline(in, line))
    if (!line.empty()) last = line;
  return last;
}

void ProfileFolder::remove() {
  if (path_.empty()) return;
  // The browser's last children may still be writing for some milliseconds after the kill.
  for (int i = 0; i < kRemovalsMax; i++) {
    std::error_code error;
    fs::remove_all(path_, error);
    if (!error) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  path_.clear();
}

}  // namespace hone::launch
