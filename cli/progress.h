// Progress of a job on stderr: one line that is redrawn on a terminal, plain lines now and then elsewhere, nothing when quiet.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "schema/generated/protocol.h"

namespace hone::cli {

struct LineOptions {
  int columns = 80;
  bool color = false;   // errors stand out
  double time_s = 0;    // that the job was given: the bar follows it; 0 = no limit, the bar follows the trials
};
// "[####----] 15 s left  12/64 trials  1/3 tasks  best 1.23 ms (naive/best 8.00×)  3.40 trials/s  last 1.50 ms, 1.42 predicted  timeout 2  <task>",
// with "waiting 3 s for the reference outputs" where nothing came for a while; cut to the columns; what is unknown is left out.
std::string progress_text(const protocol::JobProgress& progress, const LineOptions& options);

class ProgressLine {
 public:
  struct Config {
    bool quiet = false;
    bool terminal = false;
    bool color = false;
  };
  explicit ProgressLine(Config config) : config_(config) {}
  ~ProgressLine() { clear(); }
  void show(const protocol::JobProgress& progress, double time_s = 0);  // time_s: as in LineOptions
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
