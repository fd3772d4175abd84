#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "base/cat.h"
#include "cli/console.h"

namespace hone::cli {

namespace {

constexpr int kBarColumns = 24;
constexpr double kPlainLineEveryS = 5;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string bar(double share) {
  int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kBarColumns);
  return cat('[', std::string(static_cast<size_t>(full), '#'),
             std::string(static_cast<size_t>(kBarColumns - full), '-'), ']');
}

// At most n characters; never half of one.
std::string cut(std::string text, int n) {
  int columns = 0;
  for (size_t i = 0; i < text.size(); ++i)
    if ((text[i] & 0xc0) != 0x80 && ++columns > n) return text.substr(0, i);
  return text;
}

}  // namespace

std::string progress_text(const protocol::JobProgress& p, int columns) {
  if (p.phase != protocol::JobPhase::kMeasuring)
    return cut(p.message.empty() ? std::string(protocol::to_name(p.phase)) : p.message, columns);
  std::string text = cat(bar(p.trials_total ? static_cast<double>(p.trials_done) / p.trials_total : 0), " ",
                         p.trials_done, "/", p.trials_total, " trials");
  if (p.tasks_total > 1) text += cat("  ", p.tasks_done, "/", p.tasks_total, " tasks");
  if (p.best_us > 0) text += cat("  best ", number_text(p.best_us / 1000), " ms");
  if (p.trials_per_second > 0) text += cat("  ", number_text(p.trials_per_second), " trials/s");
  if (p.left_s > 0) text += cat("  ", duration_text(p.left_s), " left");
  return cut(cat(text, "  ", p.task), columns);
}

void ProgressLine::show(const protocol::JobProgress& progress) {
  if (config_.quiet) return;
  if (config_.terminal) {
    std::fprintf(stderr, "\r\033[K%s", progress_text(progress, terminal_columns() - 1).c_str());
    drawn_ = true;
    return;
  }
  bool news = progress.phase != protocol::JobPhase::kMeasuring && progress.message != last_message_;
  bool last =
      progress.trials_total > 0 && progress.trials_done == progress.trials_total && !std::exchange(last_shown_, true);
  if (!news && !last && now_s() < next_line_s_) return;
  next_line_s_ = now_s() + kPlainLineEveryS;
  last_message_ = progress.message;
  std::fprintf(stderr, "%s\n", progress_text(progress, 200).c_str());
}

void ProgressLine::clear() {
  if (std::exchange(drawn_, false)) std::fprintf(stderr, "\r\033[K");
}

}  // namespace hone::cli
