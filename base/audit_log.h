// AuditLog: who did what that changes a farm, a JSON object per line, in a file that its owner alone reads. When the file is full, it becomes
// FILE.1, what was FILE.1 becomes FILE.2, and so on; the oldest goes. A line that cannot be written is lost with one warning, and nothing else is.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace hone {

class AuditLog {
 public:
  struct Config {
    std::string path;             // "" = nothing is kept
    size_t bytes_max = 16 << 20;  // of one file
    int kept = 4;                 // full ones
  };
  struct Field {
    std::string_view name;
    std::string value;
  };
  // The clock outlives it.
  AuditLog(Config config, const Clock& wall) : config_(std::move(config)), wall_(wall) {}

  // Any thread. {"time": …, "event": …} and the fields; what others chose stands in them as JSON escapes it.
  void tell(std::string_view event, std::initializer_list<Field> fields);

 private:
  bool write(const std::string& line);
  void turn() const;

  const Config config_;
  const Clock& wall_;
  std::mutex mutex_;
  bool fails_ = false;  // guarded by mutex_: a warning was given
};

}  // namespace hone
