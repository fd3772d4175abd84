// RunningService: how the verbs of one user find the service that this user runs on this machine. `hone up` leaves a note in a folder that
// only the user can read ($XDG_RUNTIME_DIR/hone, else services in the cache folder), because it holds the token. The note is locked while the service
// lives: one that nobody holds is of a service that ended, however it ended.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace hone::cli {

struct ServiceNote {
  std::string url;      // with its token
  std::string db;       // absolute
  int64_t process = 0;  // its id
  std::string agents_origin;  // where other devices reach it: "https://192.168.1.5:9190"; "" = as here
};

class RunningService {
 public:
  // Fails: io_error. A service without a note works; it is only not found.
  static Result<RunningService> publish(const std::string& folder, const ServiceNote& note);
  ~RunningService();  // takes the note away
  RunningService(RunningService&& other) noexcept;
  RunningService& operator=(RunningService&&) = delete;

 private:
  RunningService(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;  // -1: moved from
  std::string path_;
};

// Where this user's notes are; "" where there is no place for them.
std::string service_notes_folder();

// Those that run, in the order of their process ids. Notes that are not this user's alone, or damaged, are passed over; those of services that
// ended are removed.
std::vector<ServiceNote> running_services(const std::string& folder);

}  // namespace hone::cli
