// Progress of a job on stderr: one line that is redrawn on a terminal, plain lines now and then elsewhere, nothing when quiet.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "schema/generated/protocol.h"

namespace hone::cli {

// "[####----] 12/64 trials  best 1.23 ms (naive/best 8.00×)  3.40 trials/s  15 s left  last 1.50 ms, 1.42 predicted  timeout 2  <task>",
// with "waits 3 s for the reference outputs" where nothing came for a while; cut to `columns`; what is unknown is left out. `color`: errors stand out.
std::string progress_text(const protocol::JobProgress& progress, int columns, bool color = false);

class ProgressLine {
 public:
  struct Config {
    bool quiet = false;
    bool terminal = false;
    bool color = false;
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
  std::optional<protocol::JobPhase> last_phase_;
  std::string last_message_;
};

}  // namespace hone::cli
