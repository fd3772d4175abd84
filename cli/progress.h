// Progress of a job on stderr: one line that is redrawn on a terminal, plain lines now and then elsewhere, nothing when quiet.
#pragma once
#include <cstdint>
#include <string>

#include "schema/generated/protocol.h"

namespace hone::cli {

// "[####----] 12/64 trials  best 1.23 ms  3.4 trials/s  15 s left  <task>", cut to `columns`.
std::string progress_text(const protocol::JobProgress& progress, int columns);

class ProgressLine {
 public:
  struct Config {
    bool quiet = false;
    bool terminal = false;
  };
  explicit ProgressLine(Config config) : config_(config) {}
  ~ProgressLine() { clear(); }
  void show(const protocol::JobProgress& progress);
  void clear();  // before anything else is printed on stderr

 private:
  const Config config_;
  bool drawn_ = false;
  double next_line_s_ = 0;   // without a terminal
  bool last_shown_ = false;  // leaders are measured again after the last trial
  std::string last_message_;
};

}  // namespace hone::cli
