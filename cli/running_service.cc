#include "cli/running_service.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/cat.h"
#include "base/json_text.h"
#include "cli/embedded.h"
#include "cli/service_url.h"

namespace hone::cli {

namespace {

constexpr size_t kNoteBytesMax = 16384;
constexpr std::string_view kEnding = ".service";

bool is_mine_alone(const struct stat& file) { return file.st_uid == geteuid() && (file.st_mode & 077) == 0; }

Status make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Error{ErrorCode::kIoError, cat(folder, " cannot be made: ", std::strerror(errno))};
  struct stat made {};
  if (lstat(folder.c_str(), &made) != 0 || !S_ISDIR(made.st_mode) || !is_mine_alone(made))
    return Error{ErrorCode::kIoError, cat(folder, " is not a folder that you alone may use (mode 0700)")};
  return ok_status();
}

std::string text_of(const ServiceNote& note) {
  return json_line(nlohmann::json{{"url", note.url}, {"db", note.db}, {"process", note.process}, {"agents_origin", note.agents_origin}});
}

std::optional<ServiceNote> parse_note(std::string_view text) {
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto url = json->find("url"), db = json->find("db"), process = json->find("process");
  const bool whole = url != json->end() && url->is_string() && db != json->end() && db->is_string() &&
                     process != json->end() && process->is_number_integer();
  if (!whole || !parse_service_url(url->get<std::string>()).ok()) return std::nullopt;
  const auto agents = json->find("agents_origin");
  return ServiceNote{url->get<std::string>(), db->get<std::string>(), process->get<int64_t>(),
                     agents != json->end() && agents->is_string() ? agents->get<std::string>() : ""};
}

// What a file descriptor holds; "" when that is too much for a note.
std::string read_note(int fd) {
  std::string text(kNoteBytesMax, '\0');
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
  return text.size() < kNoteBytesMax ? text : "";
}

std::optional<ServiceNote> note_at(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::optional<ServiceNote> note;
  struct stat file {};
  if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && is_mine_alone(file)) {
    const bool ended = flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (ended) unlink(path.c_str());
    else note = parse_note(read_note(fd));
  }
  close(fd);
  return note;
}

}  // namespace

std::string service_notes_folder() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime) return cat(runtime, "/hone");
  const std::string cache = cache_folder();
  return cache.empty() ? "" : cache + "/services";
}

// It is written and locked under another name first: whoever sees the note sees it whole, and held.
Result<RunningService> RunningService::publish(const std::string& folder, const ServiceNote& note) {
  HONE_TRY(make_folder(folder));
  const std::string path = cat(folder, "/", note.process, kEnding), draft = path + ".new";
  unlink(draft.c_str());
  const int fd = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return Error{ErrorCode::kIoError, cat(draft, " cannot be written: ", std::strerror(errno))};
  RunningService service(fd, path);
  const std::string text = text_of(note);
  const bool written = pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  if (!written || flock(fd, LOCK_EX | LOCK_NB) != 0 || rename(draft.c_str(), path.c_str()) != 0)
    return Error{ErrorCode::kIoError, cat(path, " cannot be written: ", std::strerror(errno))};
  return service;
}

RunningService::RunningService(RunningService&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

RunningService::~RunningService() {
  if (fd_ < 0) return;
  unlink(path_.c_str());
  close(fd_);
}

std::vector<ServiceNote> running_services(const std::string& folder) {
  std::vector<ServiceNote> all;
  struct stat found {};
  if (folder.empty() || lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || !is_mine_alone(found)) return all;
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator(folder, error); !error && it != std::filesystem::directory_iterator();
       it.increment(error))
    if (it->path().extension() == kEnding)
      if (auto note = note_at(it->path().string())) all.push_back(std::move(*note));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.process < b.process; });
  return all;
}

}  // namespace hone::cli
